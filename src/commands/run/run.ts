import { argument, defineCommand, parsed, repeatable, toggle, val } from '../../cli/command.ts';
import { UsageError } from '../../errors.ts';
import { belongsToVals } from '../../run/sandbox.ts';
import { parseTimeout } from '../../settings/settings.ts';

import { parsePort, versionNumber } from '../shared/options.ts';
import { serveRequests } from './http.ts';
import { runOnce } from './once.ts';
import { runOnSave } from './watch.ts';

function variableName(word: string): string {
  if (!belongsToVals(word)) return word;
  throw new UsageError('A val never gets environment variables whose names begin with VALS_.', {
    hint: 'Omit --env for variables whose names begin with VALS_.',
  });
}

export const command = defineCommand({
  summary: 'Run a file, or a val of the service, on this machine',
  description:
    "Run a file, or a val with the service's code. The sandbox is a seat belt: it protects against accidents, " +
    'not against malice. Run only code that you trust.',
  details:
    'If no file has the given name, the command runs the val of that name. ' +
    'The default export is called with the arguments as strings. The value that it returns goes to stdout, and the ' +
    'output that it prints goes to stderr. TypeScript and JSX run without a build. In the sandbox, the val runs in a process ' +
    'of its own, without your token and without environment variables that look like secrets. ' +
    "Node's permission model lets the val read its own code and packages, but not write files or start programs. If the " +
    'service has the code and records runs, the command reports the run to the service.',
  descriptionForAgents:
    "Run a file in a sandbox on this machine. If no file has the given name, run the val of that name with the service's " +
    'code. The default export is called with the arguments as strings. The result has the value that it returns, but ' +
    'not the output that it prints. If the service has the code, the run is reported to the service.',
  arguments: {
    val: {
      ...val('<val|file>', 'a file, or the name or id of a val; NAME@2 is version 2'),
      orFile: true,
      orVersion: true,
      runsCode: true,
    },
    args: argument('[args...]', 'arguments and options for the val'),
  },
  passesThrough: true,
  options: {
    at: parsed('--at <version>', 'the number of the version of the val to run', versionNumber, {
      isNumber: true,
    }),
    http: toggle('--http', 'serve HTTP at a local address; reload the file on save', {
      hiddenFromAgents: true,
    }),
    port: parsed('--port <n>', 'the port for --http (default: a free port)', parsePort, {
      hiddenFromAgents: true,
    }),
    watch: toggle('--watch', 'run the file again on every save', {
      conflicts: ['http'],
      hiddenFromAgents: true,
    }),
    maxTime: parsed(
      '--max-time <seconds>',
      'time limit of a run or an HTTP request (default: 60)',
      (text) => parseTimeout(text, '--max-time'),
      { isNumber: true },
    ),
    env: {
      ...repeatable('--env <name>', 'give the val this environment variable, even a secret', variableName),
      hiddenFromAgents: true,
    },
    allowAll: toggle('--allow-all', 'no sandbox: the val can do everything that you can', {
      hiddenFromAgents: true,
    }),
    report: toggle('--no-report', 'do not record the run on the service'),
  },
  examples: ['vals run hello.ts Ada', 'vals run --http hello.ts'],
  columns: [],
  async run(context, { val, args, ...options }) {
    if (options.port !== undefined && !options.http) {
      throw new UsageError('--port works only with --http.', { hint: 'Add --http, or omit --port.' });
    }
    if (options.watch && context.flags.json) {
      throw new UsageError('--watch never ends, so it cannot print one JSON document.', {
        hint: 'To print one record per line, use --ndjson instead of --json.',
      });
    }
    const given = { ...options, val, args, maxSeconds: options.maxTime ?? 60 };
    if (options.http) return serveRequests(context, given);
    const results = options.watch ? runOnSave(context, given) : runOnce(context, given);
    return { kind: 'series', results };
  },
});
