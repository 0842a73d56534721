// Random journeys of a team: two clones, CI, hotfixes, restores. After every command, nothing may be lost.
import { expect, it } from 'vitest';
import { blobId } from '../../src/core/lib/vals.ts';
import { type Chance, chanceOf, isLong } from '../support/cases.ts';
import type { Switches } from '../support/strict/switches.ts';
import { startStrict } from '../support/strict-service.ts';
import {
  type Clone,
  kindsOfServices,
  type Row,
  reachableService,
  repository,
  type Service,
  timeOfGit,
} from './places.ts';

/** What a push without a flag does with a val of each status, in a dry run and then for sure. */
const pushOf: Record<string, { planned: string[]; done: string[] }> = {
  unchanged: { planned: ['unchanged'], done: ['unchanged'] },
  'changed here': { planned: ['planned'], done: ['pushed', 'sent'] },
  new: { planned: ['planned'], done: ['created'] },
  'changed there': { planned: ['behind'], done: ['behind'] },
  conflict: { planned: ['failed'], done: ['failed'] },
};

const idOfCode = (code: string): string => blobId(Buffer.from(code));

const filesOf = (clone: Clone): Map<string, string> => {
  const all = clone.git('ls-files', '-co', '--exclude-standard').split('\n');
  const present = all.filter((file) => file.endsWith('.ts') && clone.has(file));
  return new Map(present.map((file) => [file, clone.read(file)]));
};

interface Val {
  id: string;
  name: string;
  /** Oldest first. */
  codes: string[];
  madeAt: string;
}

function valsOf(service: Service): Map<string, Val> {
  const vals = service.vals().map(({ id, name, versions }): Val => {
    const codes = versions.map(({ code }) => code);
    return { id, name, codes, madeAt: versions.at(-1)?.createdAt ?? '' };
  });
  return new Map(vals.map((val) => [val.id, val]));
}

/** The codes that a clone knows: in the history of HEAD, and in its records. */
const knownCodes = (clone: Clone): Set<string> =>
  new Set([...clone.history(), ...Object.values(clone.records()).map(({ blob }) => blob)]);

/** Everything that somebody could still read: in git, in the versions, in kept copies. */
function readable(clone: Clone, service: Service): Set<string> {
  const codes = new Set(clone.backups().map(idOfCode));
  const objects = clone.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)');
  for (const id of objects.split('\n')) codes.add(id);
  for (const { codes: versions } of valsOf(service).values())
    for (const code of versions) codes.add(idOfCode(code));
  return codes;
}

interface Team {
  service: Service;
  people: Clone[];
  origin: Clone;
  serial: number;
}

/** The service went back from this code to the one that it has now. */
function wasSetBack({ codes }: Val, code: string): boolean {
  const present = codes.at(-1) ?? '';
  const first = codes.indexOf(present);
  return codes.slice(first, -1).includes(code);
}

/** Runs a command of vals, and checks that it neither lost a code on the service nor one in a file. */
async function checked({ service }: Team, clone: Clone, args: readonly string[]): Promise<void> {
  const [vals, files, known] = [valsOf(service), filesOf(clone), knownCodes(clone)];
  const records = clone.records();
  const result = await clone.vals(...args, '--json');
  const facts = JSON.stringify({ args, result, head: clone.git('log', '--oneline', '--all') });
  expect([0, 2, 3, 5, 6, 9], facts).toContain(result.exit);
  const after = valsOf(service);
  for (const [id, val] of vals) {
    const [before, now] = [val.codes.at(-1) ?? '', after.get(id)?.codes.at(-1)];
    if (now === before) continue;
    const what = `${val.name} ${JSON.stringify(val.codes)} ${facts}`;
    expect(known.has(idOfCode(before)), what).toBe(true);
    if (now === undefined) expect(args, what).toContain('--prune');
    else if (wasSetBack(val, now) && records[val.name]?.blob !== idOfCode(before))
      expect(saysSo(clone, now, val, service.switches), what).toBe(true);
  }
  const now = filesOf(clone);
  const kept = readable(clone, service);
  for (const [file, text] of files)
    if (now.get(file) !== text) expect(kept.has(idOfCode(text)), `${file} ${facts}`).toBe(true);
}

/**
 * A commit that somebody wrote after the present version was made brought the code. Where no times are told, git has all that
 * the service had.
 */
function saysSo(clone: Clone, code: string, { madeAt, codes }: Val, { times }: Switches): boolean {
  const history = clone.history();
  if (!times) return codes.every((each) => history.has(idOfCode(each)));
  const log = clone.git('log', '--no-merges', '--raw', '--no-abbrev', '--format=commit %at', 'HEAD');
  return log.split('commit ').some((commit) => {
    const [seconds] = commit.split('\n', 1);
    return commit.includes(` ${idOfCode(code)} `) && Number(seconds) * 1_000 > Date.parse(madeAt);
  });
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
  const merge = ['pull', '-q', '--no-rebase', '--no-edit', '-X', 'ours', 'origin', 'main'];
  if (!clone.tryGit(...merge)) clone.tryGit('merge', '--abort');
};

const edit: Act = (team, clone, chance) => clone.put({ [oneFile(clone, chance) ?? 'a.ts']: newCode(team) });

const share: Act = (_team, clone) => {
  update(clone);
  clone.tryGit('push', '-q', 'origin', 'HEAD:main');
};

const push: Act = (team, clone) => checked(team, clone, ['push', '--no-check']);

const acts: Act[] = [
  ...[edit, edit, share, share, push, push],
  (_team, clone) => commit(clone),
  (_team, clone) => commit(clone),
  (_team, clone) => {
    commit(clone);
    clone.tryGit('checkout', '-q', '-B', 'feature', 'HEAD~1');
  },
  (_team, clone) => {
    commit(clone);
    clone.tryGit('checkout', '-q', 'main');
  },
  (_team, clone) => clone.tryGit('commit', '-q', '--amend', '-am', 'amended'),
  (_team, clone) => {
    // The first commit has vals.json.
    if (!clone.tryGit('rev-parse', 'HEAD~1')) return;
    if (!clone.tryGit('revert', '--no-edit', 'HEAD')) clone.tryGit('revert', '--abort');
  },
  (_team, clone) => {
    commit(clone);
    clone.tryGit('fetch', '-q', 'origin');
    if (!clone.tryGit('rebase', '-q', 'origin/main')) clone.tryGit('rebase', '--abort');
  },
  // A branch that is squashed.
  (_team, clone) => {
    commit(clone);
    if (clone.tryGit('rev-parse', 'HEAD~3') && clone.tryGit('reset', '-q', '--soft', 'HEAD~2')) commit(clone);
  },
  (_team, clone) => clone.tryGit('stash', '-q'),
  (_team, clone) => {
    if (!clone.tryGit('stash', 'pop', '-q')) clone.tryGit('checkout', '-q', '-f');
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
  (team, _clone, { oneOf }) => {
    const vals = [...valsOf(team.service).values()];
    if (vals.length > 0) team.service.edit(oneOf(vals).name, newCode(team));
  },
  // A restore.
  ({ service }, _clone, { oneOf }) => {
    const vals = [...valsOf(service).values()].filter(({ codes }) => codes.length > 1);
    if (vals.length === 0) return;
    const { name, codes } = oneOf(vals);
    service.edit(name, oneOf(codes.slice(0, -1)));
  },
  // Somebody deletes the newest version.
  ({ service }, _clone, { oneOf }) => {
    const vals = service.vals().filter(({ versions }) => versions.length > 1);
    if (vals.length === 0) return;
    const val = oneOf(vals);
    val.versions.pop();
    val.state += 1;
  },
  (_team, clone) => clone.loseRecords(),
  (team, clone) => checked(team, clone, ['push', '--no-check', '--prune', '--yes']),
  (team, clone) => checked(team, clone, ['pull']),
  (team, clone) => checked(team, clone, ['pull', '--merge']),
  // A push whose program is killed before its second write, or after it.
  async (team, clone, { oneOf }) => {
    let writes = 0;
    const stopsAfter = oneOf([true, false]);
    team.service.switches.instead = (seen) => {
      if (seen.method === 'GET' || ++writes !== 2) return undefined;
      return (response) => {
        if (stopsAfter) team.service.handle(seen);
        response.destroy();
      };
    };
    await clone.vals('push', '--no-check', '--timeout', '1');
    delete team.service.switches.instead;
  },
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

/** Status, dry run and push say the same. */
async function checkAgreement(team: Team, clone: Clone): Promise<void> {
  const status = await statuses(clone, 'status');
  const planned = await statuses(clone, 'push', '--dry-run', '--no-check');
  await checked(team, clone, ['status']);
  const done = await statuses(clone, 'push', '--no-check');
  const facts = JSON.stringify({ status: [...status], planned: [...planned], done: [...done] });
  for (const [file, { status: word, reason }] of planned.size === 0 ? [] : status) {
    if (word === 'missing here') continue;
    const isTaken = word === 'new' && done.get(file)?.reason === 'name taken';
    expect(pushOf[word]?.planned, `${file} ${word} ${reason} ${facts}`).toContain(planned.get(file)?.status);
    if (!isTaken) expect(pushOf[word]?.done, `${file} ${word} ${facts}`).toContain(done.get(file)?.status);
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

// A few long walks meet more histories than many short ones, which all begin alike.
const [walks, steps] = isLong ? [15, 120] : [1, 25];

const kinds: typeof kindsOfServices = [...kindsOfServices, ['a list alone', { list: true }]];

const journeys = kinds.flatMap(([kind, switches], index) =>
  Array.from({ length: walks }, (_, walk) => ({ kind, switches, seed: kinds.length * walk + index + 1 })),
);

it.each(journeys)(
  'a team loses nothing on a service with $kind, with seed $seed',
  async ({ switches, seed }) => {
    const chance = chanceOf(seed);
    const known = { ...switches, now: timeOfGit };
    // Without a list, vals.json has the ids, but not those of a service on loopback.
    const service = await (switches.list ? startStrict(known) : reachableService('vals.test', known));
    const names = ['a', 'b', 'c'];
    const files = Object.fromEntries(names.map((name) => [`${name}.ts`, `export default "${name}"\n`]));
    const origin = repository(service.env, files);
    origin.git('config', 'receive.denyCurrentBranch', 'updateInstead');
    expect(await origin.vals('push', '--no-check')).toMatchObject({ exit: 0 });
    commit(origin);
    const people = [origin.clone(), origin.clone()];
    const team: Team = { service, people, origin, serial: 0 };
    for (let step = 0; step < steps; step++) await chance.oneOf(acts)(team, chance.oneOf(people), chance);
    for (const clone of people) {
      commit(clone);
      await checkAgreement(team, clone);
    }
    for (const clone of people) await converge(clone);
  },
);
