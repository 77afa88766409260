//! Drills of a case on a sandbox of their own: how they are shared out, done side by side, and brought together.
//! It must not know what a drill does.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::drive::Verdicts;
use crate::judge::Verdict;

/// Drills on one sandbox. A fault that makes each drill wait (a key that stays in progress) would else keep one sandbox
/// busy long after all others are done.
const PER_SANDBOX: usize = 16;

/// Some drills of a case, on one sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The case, by its place.
    pub case: usize,
    /// Ids; never empty.
    pub drills: BTreeSet<String>,
}

impl Job {
    /// All drills on one sandbox; nothing where there are none.
    pub fn whole(case: usize, drills: Vec<String>) -> Option<Self> {
        (!drills.is_empty()).then(|| Self {
            case,
            drills: drills.into_iter().collect(),
        })
    }

    /// The drills shared out evenly over as few sandboxes as it takes.
    pub fn split(case: usize, drills: Vec<String>) -> Vec<Self> {
        let sandboxes = drills.len().div_ceil(PER_SANDBOX);
        let each = drills.len().div_ceil(sandboxes.max(1)).max(1);
        let shares = drills.chunks(each);
        shares
            .filter_map(|share| Self::whole(case, share.to_vec()))
            .collect()
    }
}

/// What a job came to.
pub type Done = (usize, Result<Verdicts, String>);

/// Does the jobs, some at a time, and tells how many were taken up.
pub fn carry(
    jobs: &[Job],
    side_by_side: usize,
    one: &(dyn Fn(&Job) -> Result<Verdicts, String> + Sync),
    told: &(dyn Fn(usize) + Sync),
) -> Vec<Done> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Done)>> = Mutex::new(Vec::new());
    let work = || {
        while let Some((at, job)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(at).map(|job| (at, job))
        } {
            let result = one(job);
            told(at + 1);
            if let Ok(mut done) = done.lock() {
                done.push((at, (job.case, result)));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..side_by_side {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, done)| done).collect()
}

/// The verdicts of each case, from all its jobs. The control runs in each of them, and the worst that it says stands.
pub fn by_case(cases: usize, done: Vec<Done>) -> Vec<Result<Verdicts, String>> {
    let mut all: Vec<Result<Verdicts, String>> = vec![Ok(Verdicts::new()); cases];
    for (case, result) in done {
        match (&mut all[case], result) {
            (Ok(verdicts), Ok(more)) => {
                for (id, said) in more {
                    let worse = verdicts.get(&id).is_none_or(|(had, _)| is_calm(*had));
                    if worse {
                        verdicts.insert(id, said);
                    }
                }
            }
            (Ok(_), Err(why)) => all[case] = Err(why),
            (Err(_), _) => {}
        }
    }
    all
}

fn is_calm(verdict: Verdict) -> bool {
    matches!(
        verdict,
        Verdict::Pass | Verdict::Skip | Verdict::Observed | Verdict::Known
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|n| format!("d{n:02}")).collect()
    }

    #[test]
    fn drills_are_shared_out_evenly_and_none_is_lost() {
        for count in [0, 1, PER_SANDBOX, PER_SANDBOX + 1, 37, 100] {
            let jobs = Job::split(3, names(count));
            let sizes: Vec<usize> = jobs.iter().map(|job| job.drills.len()).collect();
            assert!(sizes.iter().all(|size| (1..=PER_SANDBOX).contains(size)));
            assert_eq!(sizes.len(), count.div_ceil(PER_SANDBOX), "{sizes:?}");
            let all: BTreeSet<String> = jobs.into_iter().flat_map(|job| job.drills).collect();
            assert_eq!(all, names(count).into_iter().collect());
        }
    }

    #[test]
    fn every_job_is_done_once_and_told_in_order() {
        let jobs: Vec<Job> = (0..20)
            .filter_map(|case| Job::whole(case, names(1)))
            .collect();
        let done = carry(&jobs, 4, &|_| Ok(Verdicts::new()), &|_| {});
        let cases: Vec<usize> = done.iter().map(|(case, _)| *case).collect();
        assert_eq!(cases, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn a_control_that_failed_on_one_sandbox_is_not_hidden_by_another() {
        let said = |verdict| {
            let mut verdicts = Verdicts::new();
            verdicts.insert("control".to_owned(), (verdict, String::new()));
            (0, Ok(verdicts))
        };
        for order in [
            [Verdict::Fail, Verdict::Pass],
            [Verdict::Pass, Verdict::Fail],
        ] {
            let all = by_case(1, order.map(said).to_vec());
            assert_eq!(all[0].as_ref().unwrap()["control"].0, Verdict::Fail);
        }
        let lost = by_case(1, vec![said(Verdict::Pass), (0, Err("gone".to_owned()))]);
        assert_eq!(lost[0], Err("gone".to_owned()));
    }
}
