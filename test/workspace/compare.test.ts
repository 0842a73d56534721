import { describe, expect, it } from 'vitest';
import { codeOf, codeWithHash, isSameCode, withLineEnds } from '../../src/workspace/code.ts';
import { compareCodes, type GitPast, type Past } from '../../src/workspace/compare.ts';

const [a, b, c] = ['a\n', 'b\n', 'c\n'].map((text) => codeOf(text)) as [
  ReturnType<typeof codeOf>,
  ReturnType<typeof codeOf>,
  ReturnType<typeof codeOf>,
];

describe('which side is newer', () => {
  const anyGit: GitPast[] = ['absent', 'present', 'older than the record', 'without the record'];
  const pasts: Past[] = [{}, ...anyGit.map((git) => ({ git, isEarlierVersion: false }))];

  it.each(pasts)('the same code is unchanged, whatever was before: %o', (past) => {
    for (const record of [undefined, a, b])
      expect(compareCodes({ here: a, there: a, record }, past)).toBe('unchanged');
  });

  it.each(pasts)('rule 3 needs neither git nor versions: %o', (past) => {
    expect(compareCodes({ here: b, there: a, record: a }, past)).toBe('changed here');
  });

  it('asks git first, then the versions', () => {
    expect(compareCodes({ here: b, there: a, record: undefined }, {})).toEqual({ needs: 'git' });
    expect(compareCodes({ here: b, there: a, record: b }, {})).toEqual({ needs: 'git' });
    expect(compareCodes({ here: b, there: a, record: undefined }, { git: 'absent' })).toEqual({
      needs: 'isEarlierVersion',
    });
  });

  it.each([
    // 1 before 2: `git revert` of what is deployed, in a folder that last saw the older code.
    ['present', b, 'changed here'],
    // 2: `version restore` on the service, and an unedited file.
    ['older than the record', b, 'changed there'],
    ['without the record', b, 'changed there'],
    ['absent', b, 'changed there'],
    // 1 before 4: the file has the code of an earlier version too.
    ['present', undefined, 'changed here'],
    ['present', c, 'changed here'],
    // git does not have the record's code, which the file has left behind.
    ['without the record', c, 'changed here'],
    // 4: the checkout of an older branch.
    ['absent', undefined, 'changed there'],
    ['absent', c, 'changed there'],
    ['older than the record', c, 'changed there'],
  ] as const)('git: %s', (git, record, verdict) => {
    expect(compareCodes({ here: b, there: a, record }, { git, isEarlierVersion: true })).toBe(verdict);
  });

  it.each([
    // 5: `version restore` on the service, and an edited file.
    ['older than the record', c],
    ['absent', c],
    ['absent', undefined],
  ] as const)('is a conflict if nothing else is true: %s', (git, record) => {
    expect(compareCodes({ here: b, there: a, record }, { git, isEarlierVersion: false })).toBe('conflict');
  });
});

describe('line ends', () => {
  it('make no other code', () => {
    const [plain, windows, mixed] = [codeOf('1\n2\n'), codeOf('1\r\n2\r\n'), codeOf('1\r\n2\n')];
    for (const one of [plain, windows, mixed])
      for (const other of [plain, windows, mixed]) expect(isSameCode(one, other)).toBe(true);
    for (const one of [plain, windows, mixed])
      for (const other of [plain, windows]) expect(isSameCode(one, codeWithHash(other.blob))).toBe(true);
    expect([plain.lineEnds, windows.lineEnds, mixed.lineEnds]).toEqual(['\n', '\r\n', 'mixed']);
  });

  it.each([
    ['1\r\n2\n', '\n', '1\n2\n'],
    ['1\r\n2\n', '\r\n', '1\r\n2\r\n'],
    ['1\r\n2\n', 'mixed', '1\r\n2\n'],
  ] as const)('%j with %j', (text, ends, expected) => {
    expect(withLineEnds(text, ends)).toBe(expected);
  });
});
