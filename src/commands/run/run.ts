import { argument, defineCommand, parsed, toggle, val, word } from '../../cli/command.ts';
import { UsageError } from '../../errors.ts';
import { parseTimeout } from '../../settings/settings.ts';
import { parsePort } from '../serve/serve.ts';
import { versionNumber } from '../shared/options.ts';

export const command = defineCommand({
  summary: 'Run a file, or a val of the service, on this machine',
  description:
    "Run a file, or else a val with the service's code. What holds it back is a seat belt against accidents, not a " +
    'wall against malice: run only code that you trust.',
  details:
    'The default export is called with the arguments as strings; what it returns goes to stdout, what it prints to ' +
    'stderr. TypeScript and JSX run as they are. The seat belt: a process of its own, without your token, and the ' +
    'permission model of Node, with which it reads its own folder and packages, writes no file and starts no program. ' +
    'A run of code that the service has is reported to it, where it takes such reports. --runtime deno takes Deno ' +
    'instead of Node, where that is installed.',
  arguments: {
    val: { ...val('<val|file>', 'a file that is here, or else a name or an id'), orFile: true },
    args: argument('[args...]', 'what the val is called with; options too, from here on'),
  },
  passesThrough: true,
  options: {
    at: parsed('--at <version>', 'this version of the val', versionNumber),
    http: toggle('--http', 'hand it requests to a local address; sees saves too'),
    port: parsed('--port <n>', 'the port of that address (a free one)', parsePort),
    watch: toggle('--watch', 'run it again on every save', {
      conflicts: ['http'],
    }),
    maxTime: parsed(
      '--max-time <seconds>',
      'end it after that time; with --http, each request (60)',
      (text) => parseTimeout(text, '--max-time'),
    ),
    runtime: word('--runtime <name>', 'what runs it', {
      choices: ['node', 'deno'],
    }),
    allowAll: toggle('--allow-all', 'without the seat belt: it may do what you may'),
    report: toggle('--no-report', 'do not tell the service of the run'),
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
    const { runOnce, runOnSave, serveRequests } = await import('./run-val.ts');
    const runtime = options.runtime === 'deno' ? 'deno' : 'node';
    const given = { ...options, val, args, maxSeconds: options.maxTime ?? 60, runtime } as const;
    if (options.http) {
      await serveRequests(context, given);
      return { kind: 'nothing' };
    }
    const results = options.watch ? runOnSave(context, given) : runOnce(context, given);
    return { kind: 'series', results };
  },
});
