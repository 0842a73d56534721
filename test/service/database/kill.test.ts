import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { type Chance, chanceOf, isLong } from '../../support/cases.ts';
import { embeddedService } from '../../support/embedded-service.ts';
import { startProcess, temporaryFolder } from '../../support/program.ts';
import { withResolvers } from '../../support/with-resolvers.ts';
import { type Client, clientOf, type Val } from '../support.ts';

const seed = 20_261_115;
const kills = isLong ? 55 : 4;
const writers = 4;

interface Known {
  id: string;
  name: string;
  last: number;
  codes: Map<number, string>;
  deletedVersions: Set<number>;
  maybeCodes: Set<string>;
  maybeDeletedVersions: Set<number>;
  state: 'there' | 'maybe deleted' | 'deleted';
}

const ask = (service: Client, method: string, path: string, body?: object) =>
  service.ask(method, path, { body }).catch(() => undefined);

function createWriter(who: number, { between, fraction, oneOf }: Chance) {
  const vals: Known[] = [];
  const current = new Map<string, Known>();
  const passing = `w${who}_passing`;
  const names = [passing, `w${who}_a`, `w${who}_b`];
  let serial = 0;
  let unanswered = 0;

  const newCode = (): string => {
    serial += 1;
    const filler = fraction() < 0.1 ? between(50_000, 200_000) : between(0, 3_000);
    return `// ${who} ${serial} é𝄞\u0000\r\n${'x'.repeat(filler)}`;
  };

  function note(val: Val, code: string): Known {
    let known = current.get(val.name);
    if (known?.id !== val.id) {
      if (known?.state === 'there') throw new Error(`${val.name} lost its id ${known.id}`);
      if (known) known.state = 'deleted';
      if (vals.some(({ id }) => id === val.id)) throw new Error(`${val.name} came back as ${val.id}`);
      known = {
        id: val.id,
        name: val.name,
        last: 0,
        codes: new Map(),
        deletedVersions: new Set(),
        maybeCodes: new Set(pendingNew.get(val.name)),
        maybeDeletedVersions: new Set(),
        state: 'there',
      };
      vals.push(known);
      current.set(val.name, known);
      pendingNew.delete(val.name);
    }
    if (val.version <= known.last) throw new Error(`${val.name} had ${known.last}, then ${val.version}`);
    if (val.code !== code) throw new Error(`${val.name} answered with other code`);
    known.state = 'there';
    known.last = val.version;
    known.codes.set(val.version, code);
    return known;
  }
  const pendingNew = new Map<string, Set<string>>();

  async function write(service: Client): Promise<boolean> {
    const name = oneOf(names);
    const known = current.get(name);
    const choice = fraction();
    const there = known?.state === 'there' ? known : undefined;
    if (there?.name === passing && choice < 0.2) {
      there.state = 'maybe deleted';
      const answer = await ask(service, 'DELETE', `/v1/vals/${there.id}`);
      if (!answer) return false;
      expect(answer.status).toBe(204);
      there.state = 'deleted';
      return true;
    }
    if (there && choice < 0.17 && there.codes.size > there.deletedVersions.size + 1) {
      const version = oneOf([...there.codes.keys()].filter((number) => !there.deletedVersions.has(number)));
      const answer = await ask(service, 'DELETE', `/v1/vals/${there.id}/versions/${version}`);
      if (!answer) {
        there.maybeDeletedVersions.add(version);
        return false;
      }
      if (there.maybeDeletedVersions.size === 0) expect(answer.status).toBe(204);
      if (answer.status === 204) there.deletedVersions.add(version);
      return true;
    }
    const code = newCode();
    const posts = there && choice < 0.6;
    const answer = posts
      ? await ask(service, 'POST', `/v1/vals/${there.id}/versions`, { code })
      : await ask(service, 'PUT', '/v1/vals', { name, code });
    if (!answer) {
      if (there) there.maybeCodes.add(code);
      else {
        const pending = pendingNew.get(name) ?? new Set();
        pendingNew.set(name, pending.add(code));
        known?.maybeCodes.add(code);
      }
      return false;
    }
    expect([200, 201]).toContain(answer.status);
    const val = answer.body as Val;
    if (posts) expect(val.id).toBe(there.id);
    note(val, code);
    return true;
  }

  return {
    vals,
    unanswered: () => unanswered,
    async writeUntilKilled(service: Client, answered: () => void): Promise<void> {
      while (await write(service)) answered();
      unanswered += 1;
    },
  };
}

async function check(service: Client, vals: readonly Known[]): Promise<number> {
  let checked = 0;
  for (const known of vals) {
    const { id, name, state } = known;
    const where = `seed ${seed}, ${name} ${id}`;
    const answer = await ask(service, 'GET', `/v1/vals/${id}/versions?limit=100`);
    if (state === 'deleted') expect(answer?.status, `${where} was deleted`).toBe(404);
    if (state === 'there') expect(answer?.status, `${where} was there`).toBe(200);
    if (answer?.status !== 200) continue;
    const numbers = (answer.body as { data: Val[] }).data.map(({ version }) => version);
    expect(new Set(numbers).size).toBe(numbers.length);
    const found = new Set(numbers);
    for (const [version, code] of known.codes) {
      const gone = known.deletedVersions.has(version);
      if (gone) expect(found.has(version), `${where}: version ${version} was deleted`).toBe(false);
      else if (!known.maybeDeletedVersions.has(version))
        expect(found.has(version), `${where}: version ${version} was acknowledged`).toBe(true);
      if (!found.has(version)) continue;
      const one = (await ask(service, 'GET', `/v1/vals/${id}/versions/${version}`))?.body as Val;
      expect(one.code === code, `${where}: the code of version ${version}`).toBe(true);
      checked += 1;
    }
    for (const version of numbers.filter((number) => !known.codes.has(number))) {
      const one = (await ask(service, 'GET', `/v1/vals/${id}/versions/${version}`))?.body as Val;
      expect(known.maybeCodes.has(one.code), `${where}: nobody sent version ${version}`).toBe(true);
    }
  }
  return checked;
}

function integrity(file: string): string[] {
  const database = new Database(file);
  try {
    const rows = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
    return rows.map(({ integrity_check }) => integrity_check);
  } finally {
    database.close();
  }
}

it(`serve, killed ${kills} times during writes, keeps every acknowledged write (seed ${seed})`, async () => {
  const home = temporaryFolder();
  const file = join(home, 'vals.db');
  const chance = chanceOf(seed);
  const all = Array.from({ length: writers }, (_, who) => createWriter(who, chanceOf(seed + who + 1)));
  const tokens = new Set<string>();

  for (let round = 0; round < kills; round++) {
    if (round % 6 === 2) {
      const { child, ended } = startProcess(['serve', '--port', '0', '--data', file], { cwd: home });
      await sleep(chance.between(60, 200));
      child.kill('SIGKILL');
      await ended;
    }
    const service = await embeddedService({ at: file });
    tokens.add(service.token);
    if (round % 11 === 10) {
      const vals = all.flatMap((writer) => writer.vals);
      await check(clientOf(service), vals);
    }
    let answersLeft = chance.between(0, 8 * writers);
    const { promise: written, resolve: enough } = withResolvers();
    const writing = all.map((writer) =>
      writer.writeUntilKilled(clientOf(service), () => --answersLeft <= 0 && enough()),
    );
    if (answersLeft > 0) await written;
    await sleep(chance.between(0, 5));
    await service.end('SIGKILL');
    await Promise.all(writing);
  }

  const service = await embeddedService({ at: file });
  const vals = all.flatMap((writer) => writer.vals);
  const checked = await check(clientOf(service), vals);
  await service.end('SIGKILL');
  expect(integrity(file)).toEqual(['ok']);
  expect(tokens.size).toBe(1);
  expect(all.map((writer) => writer.unanswered())).toEqual(all.map(() => kills));
  expect(checked).toBeGreaterThan(kills);
  expect(vals.some(({ state }) => state === 'deleted')).toBe(true);
});
