import type { Socket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { forEach } from '../../../../../src/core/http/request/limiter.ts';
import { isLong } from '../../../../support/cases.ts';
import { fastClock } from '../../../../support/fast-clock.ts';
import type { Output } from '../../../../support/in-process.ts';
import { kinds } from '../../../../support/kinds.ts';
import { type Command, commands, files, printed, withLargeCode } from './commands.ts';
import { type Fault, faults, goodAnswer, type World } from './faults.ts';
import { canary, type Handlers, invoke, prepareFaults, type RawServer, rawServer } from './harness.ts';
import { type Expected, expected, type Meeting } from './model.ts';

prepareFaults(files);

const untouched = await rawServer(fastClock(), {});
afterAll(() => untouched.close());

interface Cell {
  command: Command;
  fault: Fault;
  meeting: Meeting;
  forever: boolean;
  terminal: boolean;
}

const ways = [
  { forever: false, terminal: false },
  { forever: true, terminal: true },
  { forever: true, terminal: false },
  { forever: false, terminal: true },
];

/** Without `isLong`, one command that writes, and often one that reads, meet each fault, each in one of the four ways. */
function cellsOf(usual: Command): Cell[] {
  const place = commands.indexOf(usual);
  return faults.flatMap((fault, index) => {
    if (!isLong && index % 3 !== place % 3) return [];
    const command = fault.stage === 'begun' ? withLargeCode(usual) : usual;
    const meeting = typeof fault.meets === 'function' ? fault.meets(command) : fault.meets;
    const way = (Math.floor(index / 3) + place) % ways.length;
    const chosen = isLong ? ways : ways.slice(way, way + 1);
    const inWays = fault.isSlow ? [{ forever: true, terminal: false }] : chosen;
    return inWays.map((each) => ({ command, fault, meeting, ...each }));
  });
}

describe('with every fault, once or for ever, at a terminal or in a pipe,', () => {
  it.each(commands)('vals $name reacts as the contract says', async (command) => {
    const wrong: string[] = [];
    await forEach(cellsOf(command), 32, async (cell) => {
      const { fault, forever, terminal } = cell;
      const where = `${fault.name}, ${forever ? 'for ever' : 'once'}, ${terminal ? 'terminal' : '--json'}`;
      await check(cell).catch((error) => wrong.push(`${where} | ${error}`));
    });
    expect(wrong.sort()).toEqual([]);
  });

  it('no redirect is followed', () => {
    expect(untouched.connections()).toBe(0);
  });
});

async function check(cell: Cell): Promise<void> {
  const { command, fault, meeting, forever, terminal } = cell;
  const clock = fastClock();
  const world: World = { clock, command, untouchedUrl: untouched.baseUrl };
  const server = await rawServer(clock, handlersFor(cell, world));
  const { timeout = 600 } = fault;
  const result = await invoke(
    [...command.args, '--timeout', String(timeout), ...(terminal ? [] : ['--json'])],
    { baseUrl: server.baseUrl, clock, terminal, input: command.input, patienceMs: 3 * timeout * 1_000 },
  );
  const tookMs = clock.elapsed();
  const promised = expected(command, meeting, forever);
  await server.close();
  expect(promised.exits, result.stderr.slice(0, 500)).toContain(result.exit);
  expect(tookMs).toBeLessThanOrEqual((timeout + 5) * 1_000);
  checkRequests(cell, server, promised);
  checkOutput(result, terminal);
  if (result.exit === 0) checkResult(cell, result);
  else checkFailure(cell, world, result);
}

function handlersFor({ command, fault, forever }: Cell, world: World): Handlers {
  const strikes = (count: number) => forever || count === 0;
  const struckSockets = new WeakSet();
  const strikeAt = (stage: Fault['stage']) => (socket: Socket, count: number) => {
    if (fault.stage !== stage || !strikes(count)) return;
    struckSockets.add(socket);
    fault.act(socket, world);
  };
  return {
    accepted: strikeAt('accept'),
    begun: strikeAt('begun'),
    asked(socket, count) {
      if (fault.stage === 'begun' ? struckSockets.delete(socket) : struckSockets.has(socket)) return;
      if (fault.stage === 'asked' && strikes(count)) fault.act(socket, world);
      else socket.write(goodAnswer({ command }), 'latin1');
    },
  };
}

function checkRequests({ command, fault }: Cell, server: RawServer, promised: Expected): void {
  const { requests } = server;
  const count = fault.stage === 'begun' ? server.begun() : requests.length;
  const [least, most] = promised.requests;
  expect(count).toBeGreaterThanOrEqual(least);
  expect(count).toBeLessThanOrEqual(most);
  const [first, second] = requests;
  expect(new Set(requests.map(({ bytes }) => bytes)).size, 'all attempts are alike').toBeLessThanOrEqual(1);
  const { method, path } = first ?? command;
  expect({ method, path: path.split('?')[0] }).toEqual({ method: command.method, path: command.path });
  const gap = first && second ? second.at - first.at : Infinity;
  expect(gap, 'the next attempt comes later').toBeGreaterThanOrEqual((fault.leastGapMs ?? 0) - 400);
}

const ownSequences = /\u001b\[(?:0|1|2|22|31|32|33|36|39)m|\u001b\[(?:\?25[lh]|\?2026[lh]|1G|2K|1A)/g;
const moving = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const unsafeInJson = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/;

function checkOutput({ stdout, stderr }: Output, terminal: boolean): void {
  const both = stdout + stderr;
  expect(both.toLowerCase(), 'the token is not printed').not.toContain(canary.toLowerCase());
  expect(both, 'no stack').not.toMatch(/\n {4}at /);
  expect(both, 'nothing without a value').not.toMatch(/\bundefined\b|\[object |\bNaN\b/);
  if (terminal) expect(both.replace(ownSequences, '')).not.toMatch(moving);
  else expect(both).not.toMatch(unsafeInJson);
}

function checkResult({ command, meeting, terminal }: Cell, { stdout, stderr }: Output): void {
  const taken = expected(command, meeting, true).exits.includes(0);
  const isValue = taken && meeting.kind === 'value';
  const answered = isValue ? meeting.value : taken && meeting.kind === 'empty' ? undefined : command.good;
  const should = JSON.stringify(printed(command, answered)).replaceAll(canary, '***');
  if (terminal) {
    const isSummedUp = command.method !== 'GET' && stderr !== '';
    if (!isSummedUp && !/^(?:\[\]|\{\})$/.test(should)) expect(stdout).not.toBe('');
    return;
  }
  expect(stderr).toMatch(/^(?:What was there before, if anything, is among the versions.*\n)?$/s);
  expect(stdout).toMatch(/^[^\n]+\n$/);
  expect(JSON.stringify(JSON.parse(stdout))).toBe(should);
}

const frames =
  /[\u2800-\u28ff] (?:Waiting for the service|Pushing \d+ of \d+ vals)(?: \(the service asks to wait\))?/g;

function checkFailure({ command, fault, meeting, terminal }: Cell, world: World, result: Output): void {
  const { exit, stdout, stderr } = result;
  const isBatch = command.method === 'PUT' || command.method === 'DELETE';
  if (!isBatch) expect(stdout).toBe('');
  if (terminal) {
    const shown = stderr.replace(ownSequences, '').replace(frames, '');
    expect(shown).toMatch(/^error: \S.*\n(?: +\S.*\n)*hint: \S.*\n(?: +\S.*\n)*$/);
    if (isBatch) expect(stdout).toContain('failed');
    return;
  }
  expect(stderr).toMatch(/^[^\n]+\n$/);
  const { error } = JSON.parse(stderr);
  expect(error).toMatchObject({
    ...{ kind: kinds[Number(exit)], exit, method: command.method, path: command.path },
    message: expect.stringContaining(fault.inMessage?.(world) ?? ''),
    hint: expect.stringMatching(/./),
    ...(meeting.kind === 'status' && { status: meeting.status }),
  });
  expect(error.message).not.toBe('');
  if (isBatch) expect(JSON.parse(stdout)).toMatchObject([{ status: 'failed', error }]);
}
