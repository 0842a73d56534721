import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { type Chance, chanceOf, isLong } from '../../support/cases.ts';
import { startProcess, temporaryFolder } from '../../support/program.ts';
import { withResolvers } from '../../support/with-resolvers.ts';
import { embeddedService } from '../support/embedded-service.ts';
import { type Client, clientOf, type List, type Val } from '../support.ts';

const seed = 20_261_115;
const kills = isLong ? 55 : 4;
const writers = 4;

type Write =
  | { kind: 'code'; code: string }
  | { kind: 'delete version'; version: number }
  | { kind: 'delete' };

/** A val that one writer wrote to between two kills. Only the outcome of its last write is unknown. */
interface Written {
  name: string;
  id: string | undefined;
  codes: Map<number, string>;
  isDeleted: boolean;
  unanswered: Write | undefined;
}

function nextWrite({ id, codes, isDeleted }: Written, { between, fraction, oneOf }: Chance): Write {
  const choice = fraction();
  if (id !== undefined && !isDeleted && choice < 0.1) return { kind: 'delete' };
  if (codes.size > 1 && choice < 0.25) return { kind: 'delete version', version: oneOf([...codes.keys()]) };
  const filler = choice > 0.9 ? between(50_000, 200_000) : between(0, 3_000);
  return { kind: 'code', code: `// ${fraction()} é𝄞\u0000\r\n${'x'.repeat(filler)}` };
}

function send(service: Client, { name, id }: Written, write: Write) {
  const path = `/v1/vals/${id}`;
  if (write.kind === 'delete') return service.ask('DELETE', path);
  if (write.kind === 'delete version') return service.ask('DELETE', `${path}/versions/${write.version}`);
  return service.putVal(name, write.code);
}

function acknowledge(val: Written, write: Write, body: unknown): void {
  if (write.kind === 'delete version') {
    val.codes.delete(write.version);
    return;
  }
  if (write.kind === 'delete') {
    val.isDeleted = true;
    return;
  }
  const { id, version, code } = body as Val;
  expect(code === write.code, `${val.name}: the code of the answer`).toBe(true);
  val.id = id;
  val.codes.set(version, code);
}

/** Begins another val when one is deleted, so returns all that it wrote to. */
async function writeUntilKilled(
  service: Client,
  name: string,
  chance: Chance,
  onAnswer: () => void,
): Promise<Written[]> {
  const vals: Written[] = [];
  for (;;) {
    let val = vals.at(-1);
    if (!val || val.isDeleted) {
      const next = `${name}_${vals.length}`;
      val = { name: next, id: undefined, codes: new Map(), isDeleted: false, unanswered: undefined };
      vals.push(val);
    }
    const write = nextWrite(val, chance);
    const answer = await send(service, val, write).catch(() => undefined);
    if (!answer) {
      val.unanswered = write;
      return vals;
    }
    expect([200, 201, 204]).toContain(answer.status);
    acknowledge(val, write, answer.body);
    onAnswer();
  }
}

/** Returns how many versions the service has kept. */
async function check(service: Client, { name, id, codes, isDeleted, unanswered }: Written): Promise<number> {
  if (id === undefined) return 0;
  const answer = await service.ask('GET', `/v1/vals/${id}/versions?limit=100`);
  if (isDeleted) expect(answer.status, `${name} was deleted`).toBe(404);
  if (unanswered?.kind !== 'delete' && !isDeleted) expect(answer.status, `${name} was there`).toBe(200);
  if (answer.status === 404) return 0;
  const numbers = (answer.body as List<Val>).data.map(({ version }) => version);
  for (const version of codes.keys()) {
    const maybeDeleted = unanswered?.kind === 'delete version' && unanswered.version === version;
    if (!maybeDeleted) expect(numbers, `${name}: version ${version} was acknowledged`).toContain(version);
  }
  for (const version of numbers) {
    const pending = unanswered?.kind === 'code' ? unanswered.code : undefined;
    const { code } = await service.get<Val>(`/v1/vals/${id}/versions/${version}`);
    expect(code === (codes.get(version) ?? pending), `${name}: the code of version ${version}`).toBe(true);
  }
  return numbers.length;
}

it(`serve, killed ${kills} times during writes, keeps every acknowledged write (seed ${seed})`, async () => {
  const home = temporaryFolder();
  const file = join(home, 'vals.db');
  const chance = chanceOf(seed);
  const vals: Written[] = [];
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
    let answersLeft = chance.between(4 * writers, 12 * writers);
    const { promise: written, resolve: enough } = withResolvers();
    const writing = Array.from({ length: writers }, (_, who) =>
      writeUntilKilled(clientOf(service), `w${who}_${round}`, chanceOf(seed + writers * round + who), () => {
        answersLeft -= 1;
        if (answersLeft <= 0) enough();
      }),
    );
    await written;
    await sleep(chance.between(0, 5));
    await service.end('SIGKILL');
    vals.push(...(await Promise.all(writing)).flat());
  }

  const service = await embeddedService({ at: file });
  let kept = 0;
  for (const val of vals) kept += await check(clientOf(service), val);
  await service.end('SIGKILL');
  const database = new Database(file);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
  expect(tokens.size).toBe(1);
  expect(kept).toBeGreaterThan(kills);
  expect(vals.some(({ isDeleted }) => isDeleted)).toBe(true);
});
