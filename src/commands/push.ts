import { textAt } from '../api/records.ts';
import * as routes from '../api/routes.ts';
import { argument, type Context, column, defineCommand, parsed, word } from '../command.ts';
import { LocalError, UsageError, type ValsError } from '../errors.ts';
import { type JsonObject, lookUp } from '../json.ts';
import { doSeveral, forEachAtMost, noneBegun } from '../several.ts';
import { readCode } from '../workspace/code.ts';
import type { Source } from '../workspace/collect.ts';
import { checkName, checkSizes } from '../workspace/limits.ts';
import { dryRun, wholeNumber } from './options.ts';
import { reportFailure } from './outcomes.ts';

interface Loaded extends Source {
  code: string;
}

export const push = defineCommand({
  path: 'push',
  aliases: ['val push'],
  summary: 'Create or update vals from files and folders',
  description:
    'Create or update vals from files and folders. A file becomes the val that has its name without the extension; ' +
    'a folder gives its .ts .tsx .mts .js .jsx .mjs files, except what .gitignore or .valsignore names.',
  arguments: { paths: argument('[paths...]', 'files, folders, or - for standard input') },
  options: {
    name: word('--name <name>', "the val's name, for one path"),
    concurrency: parsed('--concurrency <n>', 'requests at a time', wholeNumber('--concurrency', 1), {
      default: 8,
    }),
    dryRun,
  },
  examples: ['vals push hello.ts', 'vals push examples --local', 'cat hello.ts | vals push - --name hello'],
  columns: [column('status'), column('name'), column('version'), column('id'), column('file')],
  jobSummary: true,
  async run(context, { paths, name, concurrency = 8, dryRun }) {
    const sources = await chooseSources(context, paths, name);
    const vals = await loadAll(context, sources);
    if (dryRun) return vals.map((val) => ({ ...describe(val), status: 'planned' }));
    const api = await context.connect({ connections: concurrency });
    for (const { file, code } of vals) {
      if (api.holdsToken(code))
        context.warn(`${file} holds your token: whoever reads the val can act as you.`);
    }
    const onFinished = (finished: number) => context.progress.show(`Pushing ${finished} of ${vals.length}`);
    onFinished(0);
    return doSeveral<Loaded>(vals, {
      describe,
      concurrency,
      signal: context.signal,
      onFinished,
      onFailure: ({ file }, error) => reportFailedFile(context, file, error, vals.length),
      async work({ name, code }) {
        const { status, body = null } = await api.send(routes.putVal(name, code));
        const id = textAt(body, 'id');
        const version = lookUp(body, 'version');
        return {
          status: status === 201 ? 'created' : 'pushed',
          ...(id !== undefined && { id }),
          ...(version !== undefined && version !== null && { version }),
        };
      },
    });
  },
});

const describe = ({ file, name }: Source): JsonObject => ({ file, name });

async function chooseSources(context: Context, paths: string[], name: string | undefined): Promise<Source[]> {
  const { collectSources } = await import('../workspace/collect.ts');
  if (paths.length === 0) {
    throw new UsageError('No path was given.', { hint: 'Name files or folders: `vals push hello.ts`.' });
  }
  if (name === undefined) {
    if (paths.includes('-')) {
      throw new UsageError('Standard input has no name.', { hint: 'Give one: `vals push - --name hello`.' });
    }
    return collectSources(paths, context.warn);
  }
  if (paths.length > 1)
    throw new UsageError('--name is for one path.', { hint: 'Push the paths one by one.' });
  const sources = await collectSources(paths, context.warn);
  if (sources.length > 1) {
    throw new UsageError(`--name is for one file, and ${paths[0]} has ${sources.length}.`, {
      hint: 'Name one of them.',
    });
  }
  return sources.map(({ file }) => ({ file, name }));
}

/** Everything is read before anything is sent, so that a bad file stops a push before it began. */
async function loadAll(context: Context, sources: readonly Source[]): Promise<Loaded[]> {
  const loaded: Loaded[] = [];
  const failures = new Map<Source, ValsError>();
  await forEachAtMost(16, sources, async (source, index) => {
    try {
      loaded[index] = { ...source, code: await readCode(source.file, context) };
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      failures.set(source, error);
      reportFailedFile(context, source.file, error, sources.length);
    }
  });
  if (failures.size > 0) throw noneBegun(sources, failures, describe);
  for (const { name, code, file } of loaded) {
    checkName(name, context.warn);
    checkSizes({ code }, file, context.warn);
  }
  return loaded;
}

function reportFailedFile(context: Context, file: string, error: ValsError, total: number): void {
  reportFailure(context, file, error, total);
  if (context.env.GITHUB_ACTIONS !== 'true') return;
  const escaped = (text: string, also: RegExp) =>
    text.replace(
      also,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
  context.annotate(`::error file=${escaped(file, /[%\r\n:,]/g)}::${escaped(error.message, /[%\r\n]/g)}`);
}
