import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forEachAtMost, isLong } from '../../../support/cases.ts';
import { runProcess as run } from '../../../support/program.ts';
import { type Cell, mismatches, type Stage } from './cells.ts';
import { type Command, commands, largeCommands, oneEach } from './commands.ts';
import { faults } from './faults.ts';
import { canary, type FastClock, fastClock, prepareFaults, type RawServer, rawServer } from './harness.ts';

prepareFaults();

let untouched: RawServer;
beforeAll(async () => {
  untouched = await rawServer(fastClock(), {});
});
afterAll(() => untouched.close());

const serverClock = (): FastClock => ({
  now: () => Date.now(),
  elapsed: () => 0,
  after(ms, callback) {
    const timer = setTimeout(callback, ms / 10);
    return () => clearTimeout(timer);
  },
});

describe('the built program', () => {
  it('reacts to faults like the program in the process of the tests', { timeout: 240_000 }, async () => {
    const built: Stage = {
      clock: serverClock,
      run: (args, baseUrl, { command }) =>
        run(args, { input: command.input, env: { VALS_BASE_URL: baseUrl, VALS_TOKEN: canary } }),
      timeout: (fault) => (fault.timeout === undefined ? 60 : 2),
      untouchedUrl: untouched.baseUrl,
      exact: false,
    };
    const chosen = faults.filter((_, index) => isLong || index % 20 === 0);
    const cells = chosen.map((fault, index): Cell => {
      const name = oneEach[index % oneEach.length];
      const command = (fault.stage === 'begun' ? largeCommands : commands).find((each) => each.name === name);
      return { command: command as Command, fault, forever: true, terminal: false };
    });
    const table: string[] = [];
    await forEachAtMost(10, cells, async (cell) => {
      const wrong = await mismatches(cell, built);
      if (wrong.length > 0) table.push(`${cell.command.name} | ${cell.fault.name} | ${wrong.join(' | ')}`);
    });
    expect(table.sort()).toEqual([]);
    expect(untouched.connections()).toBe(0);
  });
});
