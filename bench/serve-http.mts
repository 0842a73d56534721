import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compare } from './compare.mts';
import type { Command, Measurement, Sample } from './types.mts';

const atATime = 8;

/** A proxy parses each request twice. For development that is enough, if it is not slower than it has to be. */
export const serveHttp: Measurement = {
  name: 'http',
  async measure(bench) {
    const cwd = bench.newFolder();
    writeFileSync(join(cwd, 'hello.ts'), hello('world'));
    writeFileSync(join(cwd, 'plain.mjs'), plain);
    const count = bench.count(2_000);
    const answering = (name: string, command: Command): Sample => ({
      name: `${count} requests to ${name}`,
      take: () => timeOfRequests(command, count),
    });
    return compare(bench.seldom, [
      {
        what: answering('vals run --http', bench.vals(['run', '--http', '--quiet', 'hello.ts'], { cwd })),
        to: answering('node:http', bench.node(['plain.mjs'], { cwd })),
        atMost: 8,
      },
      {
        what: {
          name: 'the first request after a save to vals run --http',
          take: () => timeAfterSave(bench.vals(['run', '--http', '--quiet', 'hello.ts'], { cwd }), cwd),
        },
        atMost: 400,
      },
    ]);
  },
};

const plain = `import { createServer } from 'node:http';
const server = createServer((_, answer) => answer.end('hello'));
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
`;

/** Without the start of the server, and with eight connections that are kept. */
const timeOfRequests = (command: Command, count: number): Promise<number> =>
  timeOn(command, async (url, agent) => {
    let left = count;
    const oneAfterTheOther = async () => {
      while (left-- > 0) await get(url, agent);
    };
    await Promise.all(Array.from({ length: atATime }, oneAfterTheOther));
  });

const timeAfterSave = (command: Command, cwd: string): Promise<number> =>
  timeOn(command, async (url, agent) => {
    writeFileSync(join(cwd, 'hello.ts'), hello(process.hrtime.bigint()));
    await get(url, agent);
  });

const hello = (word: string | bigint): string =>
  `export default (): Response => new Response('hello ${word}');\n`;

async function timeOn(
  { file, args, env, cwd }: Command,
  work: (url: string, agent: Agent) => Promise<void>,
): Promise<number> {
  const server = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  const [url] = await once(createInterface(server.stdout), 'line');
  const agent = new Agent({ keepAlive: true, maxSockets: atATime });
  const ended = once(server, 'exit');
  try {
    await get(url, agent);
    const startedAt = performance.now();
    await work(url, agent);
    return performance.now() - startedAt;
  } finally {
    agent.destroy();
    server.kill('SIGINT');
    await ended;
  }
}

async function get(url: string, agent: Agent): Promise<void> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { agent }, resolve).once('error', reject).end();
  });
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}.`);
  await once(answer.resume(), 'end');
}
