import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forEachAtMost, isLong } from '../../../support/cases.ts';
import { type Cell, mismatches, type Stage } from './cells.ts';
import { type Command, commands, largeCommands, oneEach } from './commands.ts';
import { faults } from './faults.ts';
import { fastClock, invoke, prepareFaults, type RawServer, rawServer } from './harness.ts';

prepareFaults();

let untouched: RawServer;
beforeAll(async () => {
  untouched = await rawServer(fastClock(), {});
});
afterAll(() => untouched.close());

const longTimeout = 600;

const inProcess = (): Stage => ({
  clock: fastClock,
  run: (args, baseUrl, { command, terminal }, clock, timeout) =>
    invoke(args, { baseUrl, clock, terminal, input: command.input, patienceMs: 3 * timeout * 1_000 }),
  timeout: (fault) => fault.timeout ?? longTimeout,
  untouchedUrl: untouched.baseUrl,
  exact: true,
});

const ways = [
  { forever: false, terminal: false },
  { forever: true, terminal: true },
  { forever: true, terminal: false },
  { forever: false, terminal: true },
];

const kindOf = ({ method, reads }: Command): string => `${method} ${reads}`;
const kindsOfRoutes = [...new Set(commands.map(kindOf))];

function cellsOf(name: string, all = isLong): Cell[] {
  const cells: Cell[] = [];
  const kind = kindOf(commands.find((each) => each.name === name) as Command);
  const alike = commands.filter((command) => kindOf(command) === kind).map((command) => command.name);
  for (const [index, fault] of faults.entries()) {
    const command = (fault.stage === 'begun' ? largeCommands : commands).find((each) => each.name === name);
    const cell = { command: command as Command, fault };
    if (fault.isSlow) {
      if (oneEach.includes(name)) cells.push({ ...cell, forever: true, terminal: false });
      continue;
    }
    if (!all && alike[index % alike.length] !== name) continue;
    const way = (index + kindsOfRoutes.indexOf(kind)) % ways.length;
    for (const each of all ? ways : ways.slice(way, way + 1)) cells.push({ ...cell, ...each });
  }
  const waits = ({ fault }: Cell) => Number(fault.timeout !== undefined || fault.leastGapMs !== undefined);
  return cells.sort((one, other) => waits(other) - waits(one));
}

const atATime = 32;

describe('with every fault, once or for ever, at a terminal or in a pipe,', () => {
  it.each(commands.map(({ name }) => name))(
    '%s reacts as the contract says',
    { timeout: 240_000 },
    async (name) => {
      const table: string[] = [];
      await forEachAtMost(atATime, cellsOf(name), async (cell) => {
        const { fault, forever, terminal } = cell;
        const wrong = await mismatches(cell, inProcess());
        if (wrong.length === 0) return;
        const where = `${fault.name}, ${forever ? 'for ever' : 'once'}, ${terminal ? 'terminal' : '--json'}`;
        table.push(`${name} | ${where} | ${wrong.join(' | ')}`);
      });
      expect(table.sort()).toEqual([]);
    },
  );

  it('the tests cover as many cells as claimed', () => {
    expect(faults.length).toBeGreaterThan(100);
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
    expect(commands.flatMap(({ name }) => cellsOf(name, true)).length).toBeGreaterThan(2_500);
    const chosen = commands.flatMap(({ name }) => cellsOf(name)).filter(({ fault }) => !fault.isSlow);
    for (const { fault } of chosen) {
      const met = chosen.filter((cell) => cell.fault === fault);
      const kinds = new Set(met.map(({ command }) => kindOf(command)));
      const waysMet = new Set(met.map(({ forever, terminal }) => `${forever} ${terminal}`));
      expect([kinds.size, waysMet.size], fault.name).toEqual([kindsOfRoutes.length, ways.length]);
    }
  });

  it('no redirect is followed', () => {
    expect(untouched.connections()).toBe(0);
  });
});
