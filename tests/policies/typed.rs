//! The sandbox's side of the replies that were typed by hand: under a policy it gives their statuses, codes and headers, as far as
//! the policy declares them.
//! It must not use the judge, nor the tool's reading of replies: what was typed is compared with what came.

use std::sync::Arc;

use doubletap::contract::Contract;
use doubletap::sandbox::{Options, Policy};

use super::asked::Asker;
use super::difference::{Given, difference};
use super::stage::side_by_side;
use super::variations::variations;
use crate::replies::exchange::{Folder, folders};
use crate::replies::listed;
use crate::sandbox::api::Api;

async fn give(contract: &Contract, situation: &str) -> Option<Given> {
    let declared = contract.clone();
    let options = Options {
        policy: Some(Policy::new(
            Vec::new(),
            Arc::new(move |_, _, _| declared.clone()),
        )),
        require_key: situation == "missing",
        ..Options::default()
    };
    let api = Api::start(options).await;
    let asker = Asker {
        api: &api,
        contract,
    };
    let provoked = asker.provoke(situation).await;
    api.running.stop().await.unwrap();
    provoked.map(|(first, second)| Given { first, second })
}

/// How many situations of typed replies were provoked, and which of them came out otherwise.
async fn compare(folder: &Folder) -> (usize, Vec<String>) {
    let (mut compared, mut wrong) = (0, Vec::new());
    for (name, typed) in &folder.replies {
        for situation in listed(name) {
            let mut seen: Option<Vec<String>> = None;
            for (contract, declared) in variations(&folder.contract, situation) {
                let Some(given) = give(&contract, situation).await else {
                    break;
                };
                let told = seen.get_or_insert_default();
                match difference(folder, typed, &declared, &given) {
                    None => {
                        told.clear();
                        break;
                    }
                    Some(difference) => told.push(difference),
                }
            }
            let Some(told) = seen else { continue };
            compared += 1;
            if !told.is_empty() {
                let place = format!("{}/{}", folder.policy, folder.operation.name);
                wrong.push(format!(
                    "{place}: {name}.http, {situation}: {}",
                    told.join("; ")
                ));
            }
        }
    }
    (compared, wrong)
}

#[test]
fn the_sandbox_gives_the_statuses_codes_and_headers_of_every_typed_reply() {
    let folders = folders();
    let done = side_by_side(&folders, |folder| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(compare(folder))
    });
    let wrong: Vec<String> = done.iter().flat_map(|(_, wrong)| wrong.clone()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let compared: usize = done.iter().map(|(compared, _)| compared).sum();
    assert!(compared > 180, "only {compared} situations were compared");
}

#[test]
fn a_reply_that_the_sandbox_does_not_give_is_found_out() {
    let stripe = || {
        let mut folders = folders().into_iter();
        folders.find(|folder| folder.policy == "stripe").unwrap()
    };
    let wrong = |file: &str, text: &str| {
        let mut folder = stripe();
        let kept = ["first", file];
        folder
            .replies
            .retain(|name, _| kept.contains(&name.as_str()));
        assert_eq!(folder.replies.len(), 2, "no {file}.http");
        folder.replies.insert(
            file.to_owned(),
            crate::replies::exchange::Reply::parse(text),
        );
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(compare(&folder)).1.len()
    };
    let code = |status: u16, code: &str| {
        format!("HTTP/1.1 {status} No\n\n{{\"error\":{{\"type\":\"{code}\"}}}}")
    };
    let both = "mismatch+other-route";
    assert_eq!(wrong(both, &code(400, "idempotency_error")), 0);
    assert_eq!(wrong(both, &code(422, "idempotency_error")), 2);
    assert_eq!(wrong(both, &code(400, "another")), 2);
    let replay = |status: u16, marker: &str| {
        format!("HTTP/1.1 {status} OK\n{marker}: true\n\n{{\"id\":\"cus_1\"}}")
    };
    assert_eq!(wrong("replay", &replay(200, "Idempotent-Replayed")), 0);
    assert_eq!(wrong("replay", &replay(201, "Idempotent-Replayed")), 1);
    assert_eq!(wrong("replay", &replay(200, "X-Cache")), 1);
}
