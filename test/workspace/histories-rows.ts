// Which side is newer: the cases. Letters are codes of one line, oldest first.

interface Circumstances {
  /** The last commit is written after the last version was made. */
  lastCommitIsLater?: boolean;
  /** The service tells times. */
  times?: boolean;
}

const isLater = { lastCommitIsLater: true };

/** The file is compared by its code alone: what was changed on both sides is a conflict. */
export const oneLineRows: [
  name: string,
  versions: string,
  file: string,
  status: string,
  more?: Circumstances,
][] = [
  ['commit and deploy', 'a', 'ab', 'changed here'],
  ['several commits, one deploy', 'a', 'abc', 'changed here'],
  ['`git revert` of what is deployed', 'ab', 'aba', 'changed here'],
  ['the revert was reverted, neither was deployed', 'ab', 'abab', 'unchanged'],
  ['revert of two commits, the first never deployed', 'ac', 'abca', 'changed here'],
  ['`version restore` on the service', 'aba', 'ab', 'changed there'],
  ['restore of two steps', 'abca', 'abc', 'changed there'],
  ['restore, then git reverts, too', 'aba', 'aba', 'unchanged'],
  ['landed again by a commit that is written after the restore', 'aba', 'abab', 'changed here', isLater],
  ['commit, revert, landed again, deployed once; then restored', 'aba', 'abab', 'conflict'],
  ['the same on a service that tells no times', 'aba', 'abab', 'conflict', { ...isLater, times: false }],
  ['restore, then a new commit of the file', 'aba', 'abc', 'conflict'],
  ['restore, pulled into git, then a new commit', 'aba', 'abac', 'changed here'],
  ['restore, then a hotfix on it', 'abax', 'ab', 'changed there'],
  ['hotfix', 'ax', 'a', 'changed there'],
  ['hotfix; the file was edited', 'ax', 'ab', 'conflict'],
  ['built on a version that git never had and that was taken back', 'bab', 'bc', 'conflict'],
  ['two commits deployed as one, taken back; a clone with the first', 'dcd', 'da', 'conflict'],
  ['the orders cross', 'dca', 'dac', 'conflict'],
  ['hotfix pulled, then edited', 'ax', 'axb', 'changed here'],
  ['hotfix taken back on the service; file as it was', 'axa', 'a', 'unchanged'],
  ['an old checkout was forced over c', 'abcb', 'abc', 'changed there'],
  ['the repository is younger than the first version', 'abca', 'bc', 'changed there'],
  ['a branch was deployed and then abandoned by `git reset`', 'ab', 'a', 'changed there'],
  ['the first deploy of an old branch', 'abc', 'ab', 'changed there'],
  ['a flag goes on and off, each deployed, and on again', 'abab', 'ababa', 'changed here', isLater],
  ['the same, and then the service is set back once', 'ababa', 'abab', 'changed there'],
  ['git went there and back more often than it was deployed', 'ab', 'ababa', 'changed here'],
  ['versions are only known from the middle on', 'ba', 'abab', 'changed here'],
  ['the val was made anew, with one version', 'a', 'ab', 'changed here'],
];
