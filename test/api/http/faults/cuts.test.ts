import { describe, expect, it } from 'vitest';
import { forEachAtMost, isLong } from '../../../support/cases.ts';
import { type Command, commands } from './commands.ts';
import { type Ending, fastClock, invoke, json, prepareFaults, rawServer, sendAndEnd } from './harness.ts';
import { expected } from './model.ts';

prepareFaults();

const framings = ['content-length', 'chunked', 'to the end'] as const;
type Framing = (typeof framings)[number];

/** No beginning of `body` may be valid JSON, because the program could not notice that the rest is missing. */
const body = json({ id: 'a', name: 'hé', version: 12 });

function answer(framing: Framing): { head: string; rest: string } {
  const start = 'HTTP/1.1 200 OK\r\nx: y\r\n';
  switch (framing) {
    case 'content-length':
      return { head: `${start}content-length: ${body.length}\r\n\r\n`, rest: body };
    case 'chunked': {
      const chunks = [body.slice(0, 9), body.slice(9), ''];
      const rest = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
      return { head: `${start}transfer-encoding: chunked\r\n\r\n`, rest };
    }
    case 'to the end':
      return { head: `${start}connection: close\r\n\r\n`, rest: body };
  }
}

interface Cut {
  command: Command;
  framing: Framing;
  ending: Ending;
  bytes: number;
}

const cutCommands = ['me', 'version new', 'push'];

function cutsOf(name: string, all = isLong): Cut[] {
  const command = commands.find((each) => each.name === name) as Command;
  const turn = cutCommands.indexOf(name);
  return framings.flatMap((framing) => {
    const { head, rest } = answer(framing);
    const whole = head.length + rest.length;
    return (['FIN', 'RST'] as const).flatMap((ending, side) =>
      Array.from({ length: whole + 1 }, (_, bytes) => ({ command, framing, ending, bytes })).filter(
        ({ bytes }) =>
          all ||
          [0, head.length, whole - 1, whole].includes(bytes) ||
          (bytes % 3 === turn && Math.floor(bytes / 3) % 2 === side),
      ),
    );
  });
}

async function wrongly({ command, framing, ending, bytes }: Cut): Promise<string[]> {
  const { head, rest } = answer(framing);
  const whole = head.length + rest.length;
  const clock = fastClock();
  const server = await rawServer(clock, {
    asked: (socket) => sendAndEnd(socket, (head + rest).slice(0, bytes), ending, clock),
  });
  const { exit, stdout, stderr } = await invoke([...command.args, '--json', '--timeout', '600'], {
    baseUrl: server.baseUrl,
    clock,
    terminal: false,
    input: command.input,
    patienceMs: 1_800_000,
  });
  const requests = server.requests.length;
  await server.close();
  const wrong: string[] = [];
  const isRead = command.method === 'GET';
  const arrived = bytes === whole;
  const endsItself = framing === 'to the end';
  const failures = new Set(expected(command, { kind: 'cut' }, true).exits);
  if (endsItself && bytes >= head.length) failures.add(11);
  const emptyForWrite = endsItself && bytes === head.length && !isRead;
  if (exit === 0 ? !arrived && !emptyForWrite : arrived || !failures.has(Number(exit)))
    wrong.push(`exit ${exit}`);
  const most = command.method === 'POST' || exit === 0 || exit === 11 ? 1 : 4;
  const least = exit === 11 && isRead ? 4 : most;
  if (requests !== least) wrong.push(`${requests} requests, not ${least}`);
  if (exit !== 0 && !command.isBatch && stdout !== '') wrong.push(`printed ${stdout}`);
  if (exit === 0 && arrived && !stdout.includes(command.isBatch ? '"version":12' : '"hé"'))
    wrong.push(`printed ${stdout}`);
  if (exit !== 0 && !stderr.includes(`"exit":${exit}`)) wrong.push(`said ${stderr}`);
  return wrong;
}

describe('an answer cut after each byte', () => {
  it.each(cutCommands)('is never a whole answer for %s', { timeout: 240_000 }, async (name) => {
    const cuts = cutsOf(name);
    const table: string[] = [];
    await forEachAtMost(32, cuts, async (cut) => {
      const wrong = await wrongly(cut);
      const { framing, ending, bytes } = cut;
      if (wrong.length > 0)
        table.push(`${name} | ${framing} | ${ending} after ${bytes} | ${wrong.join(' | ')}`);
    });
    expect(table.sort()).toEqual([]);
    expect(cutsOf(name, true).length).toBeGreaterThan(500);
  });
});
