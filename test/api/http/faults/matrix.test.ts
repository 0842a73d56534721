// Every fault against every kind of route, once or for ever, at a terminal or in a pipe: what the contract says, each time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forEachAtMost } from '../../../support/at-most.ts';
import { isLong } from '../../../support/budget.ts';
import { type Cell, mismatches, type Stage } from './cells.ts';
import { type Command, commands, id, largeCommands, oneEach } from './commands.ts';
import { faults } from './faults.ts';
import { fastClock, invoke, type RawServer, rawServer, response } from './harness.ts';

let elsewhere: RawServer;
beforeAll(async () => {
  elsewhere = await rawServer(fastClock(), {});
});
afterAll(() => elsewhere.close());

/** One that no fault comes near, unless it is meant to. */
const longTimeout = 600;

const inProcess = (): Stage => ({
  clock: fastClock,
  run: (args, baseUrl, { command, terminal }, clock, timeout) =>
    invoke(args, { baseUrl, clock, terminal, input: command.input, patienceMs: 3 * timeout * 1_000 }),
  timeout: (fault) => fault.timeout ?? longTimeout,
  elsewhere: elsewhere.baseUrl,
  exact: true,
});

const ways = [
  { forever: false, terminal: false },
  { forever: true, terminal: true },
  { forever: true, terminal: false },
  { forever: false, terminal: true },
];

/** Routes of one kind ask and read alike. */
const kindOf = ({ method, reads, unpaged }: Command): string => `${method} ${reads} ${unpaged}`;
const kindsOfRoutes = [...new Set(commands.map(kindOf))];

/** Each fault meets one route of each kind in turn, in one of the four ways in turn; in a long run all of them. */
function cellsOf(name: string, all = isLong): Cell[] {
  const cells: Cell[] = [];
  const kind = kindOf(commands.find((each) => each.name === name) as Command);
  const alike = commands.filter((command) => kindOf(command) === kind).map((command) => command.name);
  for (const [index, fault] of faults.entries()) {
    const command = (fault.stage === 'begun' ? largeCommands : commands).find((each) => each.name === name);
    const cell = { command: command as Command, fault };
    if (fault.few) {
      if (oneEach.includes(name)) cells.push({ ...cell, forever: true, terminal: false });
      continue;
    }
    if (!all && alike[index % alike.length] !== name) continue;
    const way = (index + kindsOfRoutes.indexOf(kind)) % ways.length;
    for (const each of all ? ways : ways.slice(way, way + 1)) cells.push({ ...cell, ...each });
  }
  // What waits goes first, and the others fill the time.
  const waits = ({ fault }: Cell) => Number(fault.timeout !== undefined || fault.gapMs !== undefined);
  return cells.sort((one, other) => waits(other) - waits(one));
}

const atATime = 32;

describe('every fault, once or for ever, at a terminal or in a pipe', () => {
  it.each(commands.map(({ name }) => name))('%s', { timeout: 240_000 }, async (name) => {
    const table: string[] = [];
    await forEachAtMost(atATime, cellsOf(name), async (cell) => {
      const { fault, forever, terminal } = cell;
      const wrong = await mismatches(cell, inProcess());
      if (wrong.length === 0) return;
      const where = `${fault.name}, ${forever ? 'for ever' : 'once'}, ${terminal ? 'terminal' : '--json'}`;
      table.push(`${name} | ${where} | ${wrong.join(' | ')}`);
    });
    expect(table.sort()).toEqual([]);
  });

  it('has as many cells as are claimed', () => {
    expect(faults.length).toBeGreaterThan(100);
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
    expect(commands.flatMap(({ name }) => cellsOf(name, true)).length).toBeGreaterThan(2_500);
    const chosen = commands.flatMap(({ name }) => cellsOf(name)).filter(({ fault }) => !fault.few);
    for (const { fault } of chosen) {
      const met = chosen.filter((cell) => cell.fault === fault);
      const kinds = new Set(met.map(({ command }) => kindOf(command)));
      const waysMet = new Set(met.map(({ forever, terminal }) => `${forever} ${terminal}`));
      expect([kinds.size, waysMet.size], fault.name).toEqual([kindsOfRoutes.length, ways.length]);
    }
  });

  it('the place that redirects named saw nothing', () => {
    expect(elsewhere.connections()).toBe(0);
  });

  it('an answer that came before its request is not its answer', async () => {
    const clock = fastClock();
    const server = await rawServer(clock, {
      asked(socket, count) {
        if (count === 0) socket.write(response(204) + response(204));
        else socket.write(response(409, '{"message":"still in use"}'));
      },
    });
    const { exit, stdout } = await invoke(['version', 'rm', id, '1', '2', '--yes', '--json'], {
      baseUrl: server.baseUrl,
      clock,
      terminal: false,
      patienceMs: 180_000,
    });
    await server.close();
    expect(server.requests.map(({ path }) => path.split('/').at(-1))).toEqual(['1', '2']);
    expect(JSON.parse(stdout)).toMatchObject([
      { status: 'deleted' },
      { status: 'failed', error: { exit: 5 } },
    ]);
    expect(exit).toBe(9);
  });
});
