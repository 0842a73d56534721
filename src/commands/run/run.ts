import { argument, defineCommand, parsed, repeatable, toggle, val } from '../../cli/command.ts';
import { UsageError } from '../../errors.ts';
import { belongsToVals } from '../../run/sandbox.ts';
import { parseTimeout } from '../../settings/settings.ts';
import { parsePort } from '../serve/serve.ts';
import { versionNumber } from '../shared/options.ts';
import { serveRequests } from './http.ts';
import { runOnce } from './once.ts';
import { runOnSave } from './watch.ts';

function variableName(word: string): string {
  if (!belongsToVals(word)) return word;
  throw new UsageError('A val never gets the VALS_ variables.', { hint: 'Omit that --env.' });
}

export const command = defineCommand({
  summary: 'Run a file, or a val of the service, on this machine',
  description:
    "Run a file, or else a val with the service's code. The sandbox is a seat belt against accidents, not a wall " +
    'against malice: run only code that you trust.',
  details:
    'The default export is called with the arguments as strings. Its value goes to stdout, its output to stderr. ' +
    'TypeScript and JSX run as they are. The sandbox: a process of its own, without your token and without ' +
    "environment variables that look like secrets, under Node's permission model: it reads its own code and packages, " +
    'writes no file and starts no program. A run of code that the service has is recorded there, if the service ' +
    'records runs.',
  toolDescription:
    "Run a file, or else a val with the service's code, in a sandbox on this machine. The default export is called with " +
    'the arguments as strings; its value is in the result. What the val prints is not. A run of code that the service ' +
    'has is recorded there.',
  arguments: {
    val: {
      ...val('<val|file>', 'a file, or else a name or an id; NAME@2 is version 2'),
      orFile: true,
      orVersion: true,
    },
    args: argument('[args...]', 'arguments of the val, options included'),
  },
  passesThrough: true,
  options: {
    at: parsed('--at <version>', 'this version of the val', versionNumber, { isNumber: true }),
    http: toggle('--http', 'serve it at a local address; it picks up saved changes', { forPeople: true }),
    port: parsed('--port <n>', 'the port of that address (a free one)', parsePort, { forPeople: true }),
    watch: toggle('--watch', 'run it again on every save', {
      conflicts: ['http'],
      forPeople: true,
    }),
    maxTime: parsed(
      '--max-time <seconds>',
      'end it after that time; with --http, each request (60)',
      (text) => parseTimeout(text, '--max-time'),
      { isNumber: true },
    ),
    env: {
      ...repeatable('--env <name>', 'hand it this variable, although it looks like a secret', variableName),
      forPeople: true,
    },
    allowAll: toggle('--allow-all', 'without the sandbox: it may do everything that you may', {
      forPeople: true,
    }),
    report: toggle('--no-report', 'do not record the run on the service'),
  },
  examples: ['vals run hello.ts Ada', 'vals run --http hello.ts'],
  columns: [],
  async run(context, { val, args, ...options }) {
    if (options.port !== undefined && !options.http) {
      throw new UsageError('--port is for --http.', { hint: 'Give both, or neither.' });
    }
    if (options.watch && context.flags.json) {
      throw new UsageError('--watch never ends, so it cannot print one JSON document.', {
        hint: '--ndjson prints a record for each run.',
      });
    }
    const given = { ...options, val, args, maxSeconds: options.maxTime ?? 60 };
    if (options.http) return serveRequests(context, given);
    const results = options.watch ? runOnSave(context, given) : runOnce(context, given);
    return { kind: 'series', results };
  },
});
