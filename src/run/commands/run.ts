import { type Context, defineCommand, type Options } from '../../core/command-line/command.ts';
import { optionsAt, refuseOneDocument } from '../../core/command-line/options.ts';
import { parsedText, path, port, seconds, text, val } from '../../core/command-line/value-types.ts';
import { InvalidValue, UsageError } from '../../core/errors.ts';
import { belongsToVals, type Variable } from '../process/environment.ts';
import { serveRequests } from './http.ts';
import { runOnSave } from './run-on-save.ts';
import { runOnce } from './run-once.ts';

function parseVariable(text: string): Variable {
  const [name = '', ...rest] = text.split('=');
  if (belongsToVals(name)) {
    throw new InvalidValue(
      `cannot name ${name}: a val never gets environment variables whose names begin with VALS_.`,
      'Choose another name.',
    );
  }
  if (name !== '') return { name, value: rest.length === 0 ? undefined : rest.join('=') };
  throw new InvalidValue('needs the name of a variable.', 'For example NAME=Ada.');
}

const inspectorAddress = parsedText('[host:]port', (text) => {
  if (/^(?:\S+:)?\d{1,5}$/.test(text)) return text;
  throw new InvalidValue('needs a port, or a host and a port.', 'For example 9230 or 127.0.0.1:9230.');
});

/** Node's own option. */
function inspectorOption(name: string, value: string | boolean | undefined): string | undefined {
  if (value === undefined || value === false) return undefined;
  return value === true ? name : `${name}=${value}`;
}

const forPeople = { forPeople: true } as const;

const runOptions = {
  http: { description: 'serve HTTP at a local address; reload the file on save', ...forPeople },
  port: { description: 'the port for --http (default: a free port)', value: port(), ...forPeople },
  host: {
    rare: true,
    description: 'the address for --http (default: 127.0.0.1)',
    value: text('host'),
    ...forPeople,
  },
  watch: { description: 'run the file again on every save', ...forPeople },
  maxTime: {
    rare: true,
    description: 'time limit for a run (default: none), or for the start of a response (default: 60)',
    value: seconds(),
  },
  env: {
    description: 'set a variable, or pass yours on',
    value: parsedText('name[=value]', parseVariable),
    repeatable: true,
  },
  dotenv: {
    rare: true,
    description: 'read variables from this file',
    value: path(),
    repeatable: true,
    ...forPeople,
  },
  inspect: {
    rare: true,
    description: "start Node's debugger, on another port with --inspect=9230",
    afterEquals: inspectorAddress,
    ...forPeople,
  },
  inspectBrk: {
    rare: true,
    description: 'the same, and wait for a debugger to attach',
    afterEquals: inspectorAddress,
    ...forPeople,
  },
  reload: { rare: true, description: 'fetch imports from the web again', ...forPeople },
  allowRead: {
    description: 'let the val read this file or folder',
    value: path('path'),
    repeatable: true,
    ...forPeople,
  },
  allowWrite: {
    description: 'let the val write to this file or folder',
    value: path('path'),
    repeatable: true,
    ...forPeople,
  },
  allowRun: { description: 'let the val start programs, threads and native addons', ...forPeople },
  allowAll: { description: 'no sandbox: the val can do everything that you can', ...forPeople },
  noReport: { rare: true, description: 'do not record the run on the service' },
} as const satisfies Options;

export const command = defineCommand({
  summary: 'Run a file, or a val of the service, on this machine',
  description:
    "Run a file, or a val with the service's code, as `node` would. The sandbox is a seat belt: it protects against " +
    'accidents, not against malice. Run only code that you trust. Put options before the file or ' +
    'val; what follows is passed to the val (except with --http).',
  details:
    'A word that could be a name is the val of that name: to run the file hello, write ./hello. The default export, or its `fetch` method, is ' +
    'called with the arguments as strings. The value that it returns goes to stdout, and the output that it prints goes ' +
    'to stderr. A file without a default export is a script, and what it prints goes to stdout. A file of yours gets ' +
    'your environment and the .env file of its project. In the sandbox, a val reads its project and its packages, writes ' +
    'no files and starts no programs. A run of a val is recorded on a service that records runs; a run of a file is not.',
  arguments: {
    val: {
      description: 'a file, or the name or id of a val; NAME@2 is version 2',
      value: val({ orFile: true, orVersion: true }),
    },
    args: {
      description: 'arguments and options for the val',
      value: text('args'),
      optional: true,
      repeatable: true,
    },
  },
  passesThrough: true,
  optionsMayFollow: 'http',
  options: runOptions,
  examples: ['vals run hello.ts Ada', 'vals run --http hello.ts', 'vals run --env NAME=Ada hello.ts'],
  columns: [],
  async run(context, { val, args, ...options }) {
    if (!options.http && (options.port !== undefined || options.host !== undefined)) {
      const option = options.port === undefined ? '--host' : '--port';
      throw new UsageError(`${option} works only with --http.`, { hint: `Add --http, or omit ${option}.` });
    }
    if (options.http && args.length > 0) {
      throw new UsageError(`With --http, a val gets no arguments, but ${args[0]} was given.`, {
        hint: 'Omit the arguments, or omit --http.',
      });
    }
    if (options.watch && options.http) {
      context.out.say({ kind: 'note', text: '--watch is not needed: --http reloads the val on every save.' });
    } else if (options.watch) refuseOneDocument(context.flags, '--watch');
    const handedOn = context.host.agent && options.env?.find(({ value }) => value === undefined);
    if (handedOn) {
      throw new UsageError(`The variable ${handedOn.name} has no value.`, {
        hint: 'Give each variable with its value, as NAME=VALUE.',
      });
    }
    noteOptionsOfVal(context, args);
    const inspector =
      inspectorOption('--inspect-brk', options.inspectBrk) ?? inspectorOption('--inspect', options.inspect);
    const input = { ...options, val, args, inspector };
    if (options.http) return serveRequests(context, input);
    const results = options.watch ? runOnSave(context, input) : runOnce(context, input);
    for await (const result of results) await context.out.show(result);
    return { kind: 'nothing' };
  },
});

/** Options after the file are the val's own. Somebody may have meant them for vals. */
function noteOptionsOfVal({ out: { say } }: Context, args: readonly string[]): void {
  const known = new Set(optionsAt(command).flatMap(({ names }) => names));
  const passedOn = args.map((word) => word.replace(/=.*$/s, '')).find((word) => known.has(word));
  if (passedOn === undefined) return;
  say({
    kind: 'note',
    minor: true,
    text: `${passedOn} went to the val. To give it to \`vals run\`, write it before the file or val.`,
  });
}
