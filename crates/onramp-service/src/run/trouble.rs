//! Lasting failures. A failure that is reported at each look would fill the log, so it is reported
//! when it begins and when it ends.

use super::Notice;

/// Something that is tried at each look, and what was wrong with it the last time.
#[derive(Debug, Default)]
pub(super) struct Trouble(Option<String>);

impl Trouble {
    /// The notice about this attempt: a new failure, or the end of one, in the words of `mended`.
    pub fn after(
        &mut self,
        attempt: Result<(), String>,
        mended: impl FnOnce() -> String,
    ) -> Option<Notice> {
        let before = std::mem::replace(&mut self.0, attempt.err());
        match &self.0 {
            Some(what) if before.as_ref() != Some(what) => {
                Some(Notice::Failed { what: what.clone() })
            }
            None if before.is_some() => Some(Notice::Mended { what: mended() }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_when_it_begins_changes_and_ends() {
        let mut trouble = Trouble::default();
        let full = || Err("the disk is full".to_owned());
        let missing = || Err("the folder is missing".to_owned());
        let attempts = [Ok(()), full(), full(), missing(), missing(), Ok(()), Ok(())];
        let told = attempts.map(|attempt| {
            let notice = trouble.after(attempt, || "it works again".to_owned())?;
            match notice {
                Notice::Failed { what } | Notice::Mended { what } => Some(what),
                other => panic!("{other:?}"),
            }
        });
        let told: Vec<_> = told.iter().map(Option::as_deref).collect();
        assert_eq!(
            told,
            [
                None,
                Some("the disk is full"),
                None,
                Some("the folder is missing"),
                None,
                Some("it works again"),
                None
            ]
        );
    }
}
