//! Making a merge again, and a patch on another base: whether what was committed is what git makes of what was approved.

use crate::compare::Difference;
use crate::error::Error;
use crate::objects::Objects;
use crate::oid::Oid;
use crate::options::Options;
use crate::patch::Patch;
use crate::repository::Repository;

/// The first version whose `merge-tree` takes a base.
const MERGES: (u32, u32) = (2, 40);

impl Repository {
    /// The tree that git makes of two commits by itself, with nobody's settings and attributes; absent where it can't:
    /// conflicts, or several commits at which the two parted.
    ///
    /// # Errors
    /// [`Error::OldGit`] before 2.40; [`Error::Parted`] where they have nothing in common; those of the bounds, which
    /// are the default ones but for the number of files; [`Error::Missing`], [`Error::Damaged`].
    pub async fn merged(&self, ours: &Oid, theirs: &Oid) -> Result<Option<Oid>, Error> {
        self.git.needs(MERGES)?;
        let until = self.until();
        let fork = self.fork(ours, theirs, until).await?;
        let base = match &fork.bases[..] {
            [] => return Err(Error::Parted { count: 0 }),
            [base] => base,
            _ => return Ok(None),
        };
        self.made_again(base, ours, theirs, &fork.objects).await
    }

    /// The tree that git makes by itself of what lies between `base` and `commit`, on top of `onto`: a commit that is
    /// rebased or picked, made again. Absent where there are conflicts.
    ///
    /// # Errors
    /// As [`Repository::merged`].
    pub async fn rebased(&self, base: &Oid, commit: &Oid, onto: &Oid) -> Result<Option<Oid>, Error> {
        self.git.needs(MERGES)?;
        let store = Objects::temporary(&self.git, self.format()).await?;
        self.made_again(base, onto, commit, &store).await
    }

    async fn made_again(&self, base: &Oid, ours: &Oid, theirs: &Oid, store: &Objects) -> Result<Option<Oid>, Error> {
        let (until, options) = (self.until(), Options::default());
        let all = [base.clone(), ours.clone(), theirs.clone()];
        self.bring(all.iter().cloned().collect(), store, options.content_bytes, until).await?;
        let commits = store.commits(&all, until).await?;
        let [from, one, other] = &commits[..] else { return Ok(None) };
        for side in [one, other] {
            // A merge may bring a lot that was approved long ago.
            let oids = self.differing(&from.tree, &side.tree, None, usize::MAX, until).await?;
            self.bring(oids, store, options.content_bytes, until).await?;
        }
        // History ends at these three: what came before has no say.
        store.own.begin_at(&all)?;
        let from = format!("--merge-base={base}");
        let arguments = ["merge-tree", "--write-tree", "-z", "--no-messages", &from, ours.as_str(), theirs.as_str()];
        let call = store.own.call(&arguments).most_of("The conflicts", crate::compare::FILES_BYTES);
        let said = self.git.run(call, until).await?;
        match said.code {
            Some(0) => Ok(said.output.split(|byte| *byte == 0).next().and_then(Oid::of_bytes)),
            Some(1) => Ok(None),
            _ => Err(said.failure()),
        }
    }

    /// What of the difference between two trees stays the same on another base.
    ///
    /// # Errors
    /// Those of the bounds, [`Error::Missing`], [`Error::Damaged`].
    pub async fn patch(&self, old: &Oid, new: &Oid, options: &Options) -> Result<Option<Patch>, Error> {
        let until = self.until();
        let store = Objects::temporary(&self.git, self.format()).await?;
        let oids = self.differing(old, new, None, options.files, until).await?;
        self.bring(oids, &store, options.content_bytes, until).await?;
        let Difference { diff, .. } = store.compare_until(old, new, options, until).await?;
        Ok(Patch::of(&diff))
    }
}
