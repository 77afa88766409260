//! A server that allows few streams on a connection gets as many copies, and the run says so.

use std::time::Duration;

use super::harness::{Trial, drill, payment, target};
use doubletap::config::settings::Protocol;

/// An HTTP/2 server without TLS that allows `limit` streams at once.
fn serve(limit: u32) -> std::net::SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(async move {
                    let mut server = h2::server::Builder::new();
                    server.max_concurrent_streams(limit);
                    let Ok(mut http) = server.handshake::<_, bytes::Bytes>(stream).await else {
                        return;
                    };
                    while let Some(Ok((request, mut respond))) = http.accept().await {
                        tokio::spawn(async move {
                            let mut body = request.into_body();
                            while let Some(Ok(chunk)) = body.data().await {
                                let _ = body.flow_control().release_capacity(chunk.len());
                            }
                            tokio::time::sleep(Duration::from_millis(50)).await;
                            let head = axum::http::Response::builder().status(201);
                            if let Ok(mut stream) =
                                respond.send_response(head.body(()).unwrap(), false)
                            {
                                let _ = stream.send_data("{\"id\":\"p\"}".into(), true);
                            }
                        });
                    }
                });
            }
        });
    });
    address
}

#[test]
fn the_servers_limit_of_streams_is_respected_and_said() {
    let address = serve(4);
    let target = target(&format!("http://{address}/"), vec![payment()]);
    let drill = drill(
        "[[step]]\nburst = { send = [{ as = \"copies\", key = \"k\" }] }\n",
        true,
    );
    let mut trial = Trial::new(&target);
    trial.protocol = Protocol::Http2PriorKnowledge;
    trial.copies = 10;
    trial.rounds = 3;
    let story = trial.run(&drill);
    let copies: Vec<u32> = story.gates().iter().map(|gate| gate.copies).collect();
    assert_eq!(
        copies[0], 10,
        "all of the first round are sent, one after the other"
    );
    // on a busy machine the limit may show only after a few rounds; from then on it is kept
    assert!(copies.is_sorted_by(|a, b| a >= b), "{copies:?}");
    assert!(
        copies.last() == Some(&4) && copies.iter().all(|n| [10, 4].contains(n)),
        "{copies:?}"
    );
    let notes = story.notes().join("\n");
    assert!(notes.contains("4 streams at once"), "{notes}");
    // what leaves before the limit is known may be refused by the server; from then on every copy gets its reply
    let statuses = story.statuses("copies");
    let early = copies.iter().filter(|n| **n == 10).count() * 10;
    assert!(statuses[early..].iter().all(|s| *s == 201), "{statuses:?}");
    assert!(statuses[..early].contains(&201), "{statuses:?}");
    // a round in which six of ten left late is no proof, and another one replaces it (the server may have refused them instead)
    for (gate, told) in story.gates().iter().zip(statuses.chunks(10)) {
        let all_answered = gate.copies == 10 && told.iter().all(|status| *status == 201);
        let late = all_answered && !gate.all_in_flight;
        assert!(!(late && gate.in_step), "{gate:?}");
    }
}
