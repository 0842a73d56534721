import { defineCommand, parsed, word } from '../cli/command.ts';
import { loadService } from '../cli/load-service.ts';
import { InterruptedError, UsageError } from '../errors.ts';
import { stringifyJson } from '../lib/json.ts';
import { inOwnTime } from '../lib/signals.ts';
import { readText } from '../workspace/sources/read-text.ts';
import { placeOptions, storePlace } from './shared/store-place.ts';

const highestPort = 65_535;

export const serve = defineCommand({
  path: 'serve',
  summary: 'Run the embedded service on this machine',
  description:
    'Run the embedded service on 127.0.0.1 until it is interrupted: every route of the API, over one SQLite file. ' +
    'The first line is its address; a line on stderr tells of each request. ' +
    '--local uses the same data without this command. ' +
    'With --database (or VALS_DATABASE) a team shares a PostgreSQL database, which any number of such processes serve; ' +
    '`vals user add` makes its people.',
  options: {
    port: parsed('--port <n>', 'the port; 0 for a free one (8787)', parsePort),
    ...placeOptions,
    seed: word('--seed <file>', 'a JSON file with runs, likes, comments and references to load'),
  },
  examples: [
    'vals serve',
    'vals serve --port 0 --json',
    'vals serve --database postgres://vals@db.example.com/vals',
  ],
  columns: [],
  async run(context, { port = 8787, seed, ...place }) {
    const { flags, signal, print, banner, warn } = context;
    const log = await context.openLog();
    const { startService, parseSeed, countSeed, withoutTokens } = await loadService();
    let shownLink: string | undefined;
    const showLink = () => {
      const link = service.pageLink();
      if (link === undefined || link === shownLink) return;
      shownLink = link;
      banner(`To see the vals in a browser, good for one visit:\n  ${shownLink}\n`);
    };
    let failure = '';
    const seedData = seed === undefined ? undefined : parseSeed(await readText(seed, context));
    const service = await startService({
      ...storePlace(context, place),
      port,
      seed: seedData,
      onAnswered: ({ method, path, status, ms }) =>
        log.write(`${method} ${withoutTokens(path)} ${status} ${Math.round(ms)} ms`),
      onRefusedVisit: showLink,
      onStoreFailure({ message, facts: { hint } }) {
        if (message !== failure) warn(`${message} ${hint}`);
        failure = message;
      },
    });
    const { baseUrl, token } = service;
    if (seedData) {
      const counts = Object.entries(countSeed(seedData)).map(([kind, count]) => `${kind} ${count}`);
      log.write(`Loaded from ${seed}: ${counts.join(', ')}.`);
    }
    await print(flags.json || flags.ndjson ? stringifyJson({ baseUrl, ...(token && { token }) }) : baseUrl);
    const tokenLine =
      token === undefined
        ? '  export VALS_TOKEN=...   (`vals user add <username>` makes a person with a token)\n'
        : `  export VALS_TOKEN=${token}\n`;
    banner(['To use it from another terminal:', `  export VALS_BASE_URL=${baseUrl}`, tokenLine].join('\n'));
    showLink();
    banner('Ctrl-C ends it.\n');
    if (!signal.aborted) await new Promise((end) => signal.addEventListener('abort', end, { once: true }));
    await inOwnTime(() => service.close());
    log.close();
    const { exit } = signal.reason as InterruptedError;
    // Ctrl-C is how a person ends it, and nothing to be told of.
    if (exit === 130) throw new InterruptedError(exit, '');
  },
});

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > highestPort) {
    throw new UsageError(`--port takes a number from 0 to ${highestPort}, not "${text}".`, {
      hint: '--port 0 takes a free one.',
    });
  }
  return Number(text);
}
