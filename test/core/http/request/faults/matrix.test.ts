import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forEach } from '../../../../../src/core/http/for-each.ts';
import { isLong } from '../../../../support/cases.ts';
import { kinds } from '../../../../support/kinds.ts';
import { type Command, commands, largeCommands, printed } from './commands.ts';
import { type Fault, faults, goodAnswer, type World } from './faults.ts';
import {
  canary,
  fastClock,
  type Handlers,
  type Invocation,
  invoke,
  prepareFaults,
  type RawServer,
  rawServer,
} from './harness.ts';
import { type Expected, expected, type Meeting } from './model.ts';

prepareFaults();

let untouched: RawServer;
beforeAll(async () => {
  untouched = await rawServer(fastClock(), {});
});
afterAll(() => untouched.close());

interface Cell {
  command: Command;
  fault: Fault;
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
function cellsOf(name: string): Cell[] {
  const cells: Cell[] = [];
  const place = commands.findIndex((each) => each.name === name);
  for (const [index, fault] of faults.entries()) {
    if (!isLong && index % 3 !== place % 3) continue;
    const command = (fault.stage === 'begun' ? largeCommands : commands)[place] as Command;
    const way = (Math.floor(index / 3) + place) % ways.length;
    const chosen = isLong ? ways : ways.slice(way, way + 1);
    if (fault.isSlow) cells.push({ command, fault, forever: true, terminal: false });
    else for (const each of chosen) cells.push({ command, fault, ...each });
  }
  return cells;
}

describe('with every fault, once or for ever, at a terminal or in a pipe,', () => {
  it.each(commands.map(({ name }) => name))('%s reacts as the contract says', async (name) => {
    const table: string[] = [];
    await forEach(cellsOf(name), 32, async (cell) => {
      const { fault, forever, terminal } = cell;
      const wrong = await mismatches(cell);
      if (wrong.length === 0) return;
      const where = `${fault.name}, ${forever ? 'for ever' : 'once'}, ${terminal ? 'terminal' : '--json'}`;
      table.push(`${name} | ${where} | ${wrong.join(' | ')}`);
    });
    expect(table.sort()).toEqual([]);
  });

  it('no redirect is followed', () => {
    expect(untouched.connections()).toBe(0);
  });
});

const meetingOf = ({ fault, command }: Cell): Meeting =>
  typeof fault.meets === 'function' ? fault.meets(command) : fault.meets;

async function mismatches(cell: Cell): Promise<string[]> {
  const { command, fault, forever, terminal } = cell;
  const clock = fastClock();
  const world: World = { clock, command, untouchedUrl: untouched.baseUrl };
  const server = await rawServer(clock, handlersFor(cell, world));
  const { timeout = 600 } = fault;
  const result = await invoke(
    [...command.args, '--timeout', String(timeout), ...(terminal ? [] : ['--json'])],
    { baseUrl: server.baseUrl, clock, terminal, input: command.input, patienceMs: 3 * timeout * 1_000 },
  );
  const tookMs = clock.elapsed();
  const promised = expected(command, meetingOf(cell), forever);
  await server.close();
  return [
    ...wrongEnd(result, promised),
    ...wrongTime(tookMs, timeout),
    ...wrongRequests(cell, server, promised),
    ...wrongOutput(cell, world, result, promised),
  ];
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
      else socket.write(goodAnswer(command), 'latin1');
    },
  };
}

function wrongEnd({ exit, stderr }: Invocation, { exits }: Expected): string[] {
  if (typeof exit === 'number' && exits.includes(exit)) return [];
  return [`exit ${exit}, not ${exits.join(' or ')}, saying ${JSON.stringify(stderr.slice(0, 500))}`];
}

function wrongTime(tookMs: number, timeout: number): string[] {
  return tookMs > (timeout + 5) * 1_000 ? [`ended after ${tookMs / 1_000} s of ${timeout}`] : [];
}

function wrongRequests({ command, fault }: Cell, server: RawServer, promised: Expected): string[] {
  const wrong: string[] = [];
  const { requests } = server;
  const count = fault.stage === 'begun' ? server.begun() : requests.length;
  const [least, most] = promised.requests;
  if (count < least || count > most) wrong.push(`${count} requests, not ${least} to ${most}`);
  const [first, second] = requests;
  if (new Set(requests.map(({ bytes }) => bytes)).size > 1) wrong.push('its attempts differ');
  if (first && (first.method !== command.method || first.path.split('?')[0] !== command.path)) {
    wrong.push(`asked ${first.method} ${first.path}`);
  }
  const gap = first && second ? second.at - first.at : Infinity;
  if (gap < (fault.leastGapMs ?? 0) - 400) wrong.push(`again after ${gap} ms`);
  return wrong;
}

const ownSequences = /\u001b\[(?:0|1|2|22|31|32|33|36|39)m|\u001b\[(?:\?25[lh]|\?2026[lh]|1G|2K|1A)/g;
const moving = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const unsafeInJson = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/;

function wrongOutput(cell: Cell, world: World, result: Invocation, promised: Expected): string[] {
  const { command, terminal } = cell;
  const { exit, stdout, stderr } = result;
  const wrong: string[] = [];
  const both = stdout + stderr;
  if (both.toLowerCase().includes(canary.toLowerCase())) wrong.push('the token is printed');
  if (/\n {4}at /.test(both)) wrong.push('a stack is printed');
  if (/\bundefined\b|\[object |\bNaN\b/.test(both)) wrong.push('something without a value is printed');
  const printedRaw = terminal ? moving.exec(both.replace(ownSequences, '')) : unsafeInJson.exec(both);
  if (printedRaw) wrong.push(`raw ${JSON.stringify(printedRaw[0])} at ${JSON.stringify(both.slice(0, 200))}`);
  if (exit === 0) wrong.push(...wrongResult(cell, result));
  else if (typeof exit === 'number' && promised.exits.includes(exit)) {
    if (!command.isBatch && stdout !== '') wrong.push(`failed with stdout ${JSON.stringify(stdout)}`);
    wrong.push(...(terminal ? wrongMessage(result) : wrongError(cell, world, result)));
    if (terminal && command.isBatch && !stdout.includes('failed'))
      wrong.push('its table does not say failed');
  }
  return wrong;
}

function answeredLast(cell: Cell): unknown {
  const { command } = cell;
  const meeting = meetingOf(cell);
  const taken = expected(command, meeting, true).exits.includes(0);
  if (taken && meeting.kind === 'value') return meeting.value;
  return taken && meeting.kind === 'empty' ? undefined : command.good;
}

function wrongResult(cell: Cell, { stdout, stderr }: Invocation): string[] {
  const should = JSON.stringify(printed(cell.command, answeredLast(cell))).replaceAll(canary, '***');
  if (cell.terminal) {
    const isSummedUp = ['POST', 'PUT', 'DELETE'].includes(cell.command.method) && stderr !== '';
    return isSummedUp || /^(?:\[\]|\{\})$/.test(should) || stdout !== '' ? [] : ['nothing is printed'];
  }
  const wrong: string[] = [];
  const isHint = stderr.startsWith('What was there before, if anything, is among the versions');
  if (stderr !== '' && !isHint) wrong.push(`succeeded with stderr ${JSON.stringify(stderr)}`);
  if (!/^[^\n]+\n$/.test(stdout)) wrong.push('stdout is not one line');
  const is = normalized(stdout);
  if (is !== should) wrong.push(`printed ${is ?? JSON.stringify(stdout.slice(0, 200))}, not ${should}`);
  return wrong;
}

function normalized(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const frames = /[\u2800-\u28ff] (?:Waiting for the service|Pushing \d+ of \d+ vals)/g;

function wrongMessage({ stderr }: Invocation): string[] {
  const shown = stderr.replace(ownSequences, '').replace(frames, '');
  return /^error: \S.*\n(?: +\S.*\n)*hint: \S.*\n(?: +\S.*\n)*$/.test(shown)
    ? []
    : [`stderr ${JSON.stringify(shown)}`];
}

function wrongError(cell: Cell, world: World, { exit, stdout, stderr }: Invocation): string[] {
  const { command, fault } = cell;
  const wrong: string[] = [];
  const lines = stderr.split('\n');
  if (lines.pop() !== '' || lines.length !== 1)
    wrong.push(`stderr is not one line: ${JSON.stringify(stderr)}`);
  let error: Record<string, unknown>;
  try {
    error = JSON.parse(lines.at(-1) ?? '').error;
  } catch {
    return [...wrong, 'the last line of stderr is not JSON'];
  }
  const { kind, message, hint, status } = error;
  if (kind !== kinds[Number(exit)] || error.exit !== exit) wrong.push(`kind ${kind}, exit ${error.exit}`);
  if (error.method !== command.method || error.path !== command.path) {
    wrong.push(`of ${error.method} ${error.path}`);
  }
  if (typeof message !== 'string' || message === '' || typeof hint !== 'string' || hint === '') {
    wrong.push('no message or no hint');
  }
  const meeting = meetingOf(cell);
  if (meeting.kind === 'status' && status !== meeting.status) wrong.push(`status ${status}`);
  const named = fault.inMessage?.(world);
  if (named !== undefined && !String(message).includes(named))
    wrong.push(`${message} does not name ${named}`);
  if (!command.isBatch) return wrong;
  try {
    const outcomes = JSON.parse(stdout);
    if (outcomes.length !== 1 || outcomes[0].status !== 'failed') wrong.push(`outcomes ${stdout}`);
    if (JSON.stringify(outcomes[0]?.error) !== JSON.stringify(error))
      wrong.push('the outcome has another error');
  } catch {
    wrong.push(`outcomes are not JSON: ${JSON.stringify(stdout.slice(0, 200))}`);
  }
  return wrong;
}
