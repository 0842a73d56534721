// Every fault against every route, once or for ever, at a terminal or in a pipe: what the contract says, each time.
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

/** Of the ways of a fault and a route, one in turn, so that each fault and each route meets all four; all in a long run. */
function cellsOf(name: string, all = isLong): Cell[] {
  const cells: Cell[] = [];
  const turn = commands.findIndex((command) => command.name === name);
  for (const [index, fault] of faults.entries()) {
    if (fault.few && !oneEach.includes(name)) continue;
    const command = (fault.stage === 'begun' ? largeCommands : commands).find((each) => each.name === name);
    const chosen = all ? ways : [ways[(index + turn) % ways.length] as (typeof ways)[number]];
    for (const way of fault.few ? [{ forever: true, terminal: false }] : chosen) {
      cells.push({ command: command as Command, fault, ...way });
    }
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
    const wayOf = ({ forever, terminal }: Cell) => `${forever} ${terminal}`;
    for (const { fault } of chosen) {
      expect(new Set(chosen.filter((cell) => cell.fault === fault).map(wayOf)).size, fault.name).toBe(4);
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
