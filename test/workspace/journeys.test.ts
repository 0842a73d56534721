// Random journeys of a team: two clones, CI, hotfixes on the service. After every command, nothing may be lost.
import { describe, expect, it } from 'vitest';
import { blobId } from '../../src/core/lib/blob-id.ts';
import { type Chance, chanceOf, isLong } from '../support/cases.ts';
import { type Clone, repository } from './repository.ts';
import { newService, type Row, type Service } from './support.ts';

/** What a push without a flag does with a val of each status, in a dry run and then for sure. */
const pushOf: Record<string, { planned: string[]; done: string[] }> = {
  unchanged: { planned: ['unchanged'], done: ['unchanged'] },
  'changed here': { planned: ['planned'], done: ['pushed'] },
  new: { planned: ['planned'], done: ['created'] },
  'renamed here': { planned: ['planned'], done: ['renamed', 'pushed'] },
  'changed there': { planned: ['behind'], done: ['behind'] },
  conflict: { planned: ['failed'], done: ['failed'] },
  unmerged: { planned: ['failed'], done: ['failed'] },
  'deleted there': { planned: ['failed'], done: ['failed'] },
};

interface Val {
  id: string;
  name: string;
  code: string;
}

async function valsOf(service: Service): Promise<Map<string, Val>> {
  const read = (await service.vals()).map(async ({ id, name }): Promise<[string, Val]> => {
    return [id, { id, name, code: await service.code(id) }];
  });
  return new Map(await Promise.all(read));
}

const idOfCode = (code: string): string => blobId(Buffer.from(code));

/** The codes that a clone knows: in the history of HEAD, and in its records. */
function knownCodes(clone: Clone): Set<string> {
  return new Set([...clone.history(), ...clone.records().map(({ code }) => idOfCode(code))]);
}

const names = ['a', 'b', 'c'];
const filesOf = (clone: Clone): Map<string, string> => {
  const all = clone.git('ls-files', '-co', '--exclude-standard').split('\n');
  const present = all.filter((file) => file.endsWith('.ts') && clone.has(file));
  return new Map(present.map((file) => [file, clone.read(file)]));
};

/** Everything that somebody could still read: in git, in the versions, in kept copies. */
async function readable(clone: Clone, service: Service): Promise<Set<string>> {
  const codes = new Set(clone.backups().map(idOfCode));
  const objects = clone.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
  for (const id of objects.split('\n')) codes.add(id);
  for (const id of (await valsOf(service)).keys())
    for (const code of await service.versions(id)) codes.add(idOfCode(code));
  return codes;
}

interface Team {
  service: Service;
  people: Clone[];
  origin: Clone;
  serial: number;
}

/** Runs a command of vals, and checks that it neither lost a code on the service nor one in a file. */
async function checked({ service }: Team, clone: Clone, args: readonly string[]): Promise<void> {
  const [vals, files, known] = [await valsOf(service), filesOf(clone), knownCodes(clone)];
  const result = await clone.vals(...args);
  const facts = JSON.stringify({ args, result, head: clone.git('log', '--oneline', '--all') });
  expect([0, 2, 3, 5, 9], facts).toContain(result.exit);
  const after = await valsOf(service);
  for (const [id, { name, code }] of vals) {
    const isDeleted = !after.has(id);
    const isReplaced = !isDeleted && after.get(id)?.code !== code && !args.includes('--yes');
    if (isDeleted || isReplaced) expect(known.has(idOfCode(code)), `${name} ${facts}`).toBe(true);
    if (isDeleted) expect(args, `${name} was deleted. ${facts}`).toContain('--prune');
  }
  const now = filesOf(clone);
  const kept = await readable(clone, service);
  for (const [file, text] of files)
    if (now.get(file) !== text) expect(kept.has(idOfCode(text)), `${file} ${facts}`).toBe(true);
}

type Act = (team: Team, clone: Clone, chance: Chance) => unknown;

const oneFile = (clone: Clone, { oneOf }: Chance): string | undefined => {
  const files = [...filesOf(clone).keys()];
  return files.length === 0 ? undefined : oneOf(files);
};

const newCode = (team: Team): string => `export default ${++team.serial}\n// ${'line\n// '.repeat(8)}end\n`;

const commit = (clone: Clone): void => {
  clone.git('add', '-A');
  clone.tryGit('commit', '-qm', 'change');
};

/** Takes over what others pushed. Where git finds conflicts, one's own side wins. */
const update = (clone: Clone): void => {
  commit(clone);
  clone.tryGit('pull', '-q', '--no-rebase', '--no-edit', '-X', 'ours', 'origin', 'main') ||
    clone.tryGit('merge', '--abort');
};

const acts: Act[] = [
  (team, clone, chance) => clone.put({ [oneFile(clone, chance) ?? 'a.ts']: newCode(team) }),
  (team, clone, chance) => clone.put({ [oneFile(clone, chance) ?? 'a.ts']: newCode(team) }),
  (_team, clone) => commit(clone),
  (_team, clone) => commit(clone),
  (_team, clone) => {
    update(clone);
    clone.tryGit('push', '-q', 'origin', 'HEAD:main');
  },
  (_team, clone) => {
    update(clone);
    clone.tryGit('push', '-q', 'origin', 'HEAD:main');
  },
  (_team, clone) => {
    commit(clone);
    clone.tryGit('checkout', '-q', '-B', 'feature', 'HEAD~1');
  },
  (_team, clone) => {
    commit(clone);
    clone.tryGit('checkout', '-q', 'main');
  },
  (_team, clone) => clone.tryGit('commit', '-q', '--amend', '-am', 'amended'),
  // The first commit has vals.json.
  (_team, clone) =>
    clone.tryGit('rev-parse', 'HEAD~1') &&
    (clone.tryGit('revert', '--no-edit', 'HEAD') || clone.tryGit('revert', '--abort')),
  (_team, clone) => {
    commit(clone);
    clone.tryGit('fetch', '-q', 'origin');
    clone.tryGit('rebase', '-q', 'origin/main') || clone.tryGit('rebase', '--abort');
  },
  (team, clone, chance) => {
    const file = oneFile(clone, chance);
    if (file !== undefined) clone.tryGit('mv', file, `n${++team.serial}.ts`);
  },
  (_team, clone, chance) => {
    const file = oneFile(clone, chance);
    if (file !== undefined) clone.tryGit('rm', '-qf', file);
  },
  (team, clone) => clone.put({ [`n${++team.serial}.ts`]: newCode(team) }),
  async (team, _clone, { oneOf }) => {
    const vals = [...(await valsOf(team.service)).values()];
    if (vals.length > 0) await team.service.edit(oneOf(vals).name, newCode(team));
  },
  async (team, _clone, { oneOf }) => {
    const [val] = [oneOf([...(await valsOf(team.service)).values()])];
    const versions = val === undefined ? [] : await team.service.versions(val.id);
    if (val !== undefined) await team.service.edit(val.name, versions[0] ?? newCode(team));
  },
  (_team, clone) => clone.loseRecords(),
  (team, clone) => checked(team, clone, ['push', '--no-check']),
  (team, clone) => checked(team, clone, ['push', '--no-check']),
  (team, clone) => checked(team, clone, ['push', '--no-check', '--prune', '--yes']),
  (team, clone) => checked(team, clone, ['pull']),
  (team, clone) => checked(team, clone, ['pull', '--merge']),
  // CI deploys what is on main.
  (team) => checked(team, team.origin.clone(), ['push', '--no-check']),
  (team) => checked(team, team.origin.clone(), ['push', '--no-check', '--prune', '--yes']),
];

async function statuses(clone: Clone, ...args: string[]): Promise<Map<string, Row>> {
  const { stdout, stderr, exit } = await clone.vals(...args, '--json');
  // A merge can bring a file whose val another file has by its entry in `names`. The message says what to do.
  if (exit === 2) expect(stderr).toContain('would both be the val');
  if (stdout === '') return new Map();
  return new Map((JSON.parse(stdout) as Row[]).map((row) => [row.file, row]));
}

/** Status, dry run and push say the same, and no push is refused where git has the service's code. */
async function checkAgreement(team: Team, clone: Clone): Promise<void> {
  const status = await statuses(clone, 'status');
  const planned = await statuses(clone, 'push', '--dry-run', '--no-check');
  const [vals, history, records] = [await valsOf(team.service), clone.history(), clone.records()];
  const head = clone.git('symbolic-ref', '-q', 'HEAD').trim();
  await checked(team, clone, ['status']);
  const done = await statuses(clone, 'push', '--no-check');
  const facts = JSON.stringify({ status: [...status], planned: [...planned], done: [...done], head });
  for (const [file, { status: word, name }] of planned.size === 0 ? [] : status) {
    if (word === 'missing here') continue;
    expect(pushOf[word]?.planned, `${file} ${word} ${facts}`).toContain(planned.get(file)?.status);
    expect(pushOf[word]?.done, `${file} ${word} ${facts}`).toContain(done.get(file)?.status);
    const there = [...vals.values()].find((val) => val.name === name);
    const isRecorded = records.some((record) => record.name === name);
    if (word === 'conflict' && there !== undefined && !isRecorded)
      expect(history.has(idOfCode(there.code)), `${file} is a false alarm. ${facts}`).toBe(false);
  }
}

/** Nobody gets stuck: the commands of the hints lead to a state without differences. */
async function converge(clone: Clone): Promise<void> {
  // What the message of two files of one name proposes.
  if ((await clone.vals('status')).exit === 2) clone.put({ 'vals.json': '{}' });
  const outputs = [await clone.vals('pull', '--force'), await clone.vals('push', '--force', '--no-check')];
  const status = await statuses(clone, 'status');
  const words = new Set([...status.values()].map((row) => row.status));
  words.delete('missing here');
  expect([...words], JSON.stringify([outputs, ...status])).toEqual(words.size === 0 ? [] : ['unchanged']);
}

describe('a team loses nothing', () => {
  it.each(Array.from({ length: isLong ? 100 : 1 }, (_, index) => index + 1))('with seed %i', async (seed) => {
    const chance = chanceOf(seed);
    const service = await newService();
    const files = Object.fromEntries(names.map((name) => [`${name}.ts`, `export default "${name}"\n`]));
    const origin = repository(service.env, files);
    origin.git('config', 'receive.denyCurrentBranch', 'updateInstead');
    const people = [origin.clone(), origin.clone()];
    const team: Team = { service, people, origin, serial: 0 };
    await checked(team, origin.clone(), ['push', '--no-check']);
    for (let step = 0; step < (isLong ? 60 : 16); step++)
      await chance.oneOf(acts)(team, chance.oneOf(people), chance);
    for (const clone of people) {
      commit(clone);
      await checkAgreement(team, clone);
    }
    for (const clone of people) await converge(clone);
  });
});
