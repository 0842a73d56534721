// Outside of a workspace, a push creates or replaces the val with the name of the file, without a comparison.
import type { Api } from '../../api/api.ts';
import { textAt, versionOf } from '../../api/record-fields.ts';
import * as routes from '../../api/routes.ts';
import { runBatch } from '../../cli/batch.ts';
import type { Context } from '../../cli/context.ts';
import { LocalError, UsageError, ValsError } from '../../errors.ts';
import { withoutUndefined } from '../../lib/json.ts';
import type { Outcome } from '../../lib/outcome.ts';
import { warnWith } from '../../lib/say.ts';
import type { SeenVal } from '../../names/seen-file.ts';
import type { Result } from '../../terminal/result.ts';
import { checkVersion, noSuchVal } from '../../workspace/expected-version.ts';
import { createRemoteVals, idAndVersion, type RemoteVal } from '../../workspace/remote-vals.ts';
import { nameFrom, refuseUnusableNames } from '../../workspace/sources/val-names.ts';
import type { FoundFile } from '../../workspace/sources/walk.ts';
import { checkName, checkSizes } from '../../workspace/sources/warnings.ts';
import { withNameProposed } from '../shared/propose-name.ts';
import { syntaxError } from '../shared/syntax.ts';
import { createAnnotations } from './github.ts';
import { createImportWarning } from './import-warning.ts';
import { type PushedFile, pushWording, refuseFiles } from './refuse-files.ts';
import { hintAtMissingIds } from './sent-rows.ts';
import { type SourceFile, sourceFile } from './source-file.ts';
import { createSyntaxCheck, withoutCheck } from './syntax-check.ts';

export interface UpsertOptions {
  /** --name */
  name: string | undefined;
  dryRun: boolean;
  noCheck: boolean;
  ifVersion: number | undefined;
  concurrency: number | 'auto';
}

type NamedSource = SourceFile & PushedFile;

export async function upsertFiles(
  context: Context,
  found: readonly FoundFile[],
  options: UpsertOptions,
): Promise<Result> {
  const { dryRun, ifVersion, concurrency } = options;
  const names = found.map(({ file }) => ({ file, name: options.name ?? nameFrom(file) }));
  refuseUnusableNames(names);
  if (ifVersion !== undefined && found.length > 1) throw severalFiles(found.length);
  const sources = found.map(
    (file, index): NamedSource => ({
      ...sourceFile(context, file),
      name: names[index]?.name ?? '',
    }),
  );
  const { files, failures } = await readAll(context, sources, options);
  const refused = refuseFiles(context, files, failures);
  if (refused !== undefined) return refused;
  if (dryRun && ifVersion === undefined)
    return { kind: 'list', rows: files.map(({ file, name }) => ({ file, name, status: 'planned' })) };

  const api = await context.connect({ concurrency });
  const { mine: seenBefore } = await context.seen.recall();
  const imports = createImportWarning();
  const annotate = createAnnotations(context);
  const tasks = files.map((file) => ({
    row: { file: file.file, name: file.name },
    label: file.file,
    async run(): Promise<Outcome> {
      try {
        const code = await file.read();
        const outcome = await upsert(context, api, { ...file, code }, { ...options, seenBefore });
        imports.add(file.file, code);
        return outcome;
      } catch (error) {
        const failure = withNameProposed(error, file.name, (valid) => ({
          text: 'To use a valid name',
          command: 'push',
          input: { paths: [file.file], name: valid },
        }));
        if (failure instanceof ValsError) annotate(file.file, failure);
        throw failure;
      }
    },
  }));
  const { signal } = context;
  const outcomes = await runBatch(tasks, {
    ...pushWording(context),
    concurrency,
    signal,
    progress: 'Pushing',
  });
  imports.warn(context);
  hintAtMissingIds(context, outcomes.rows, { inWorkspace: false });
  return outcomes;
}

const severalFiles = (count: number): UsageError =>
  new UsageError(`--if-version works with one file, but there are ${count}.`, {
    hint: { text: 'To push one file', command: 'push', input: { paths: true, ifVersion: true } },
  });

/** Limits the total of what is kept. A file that does not fit is read again before it is sent. */
const maxCharactersInMemory = 8 * 1024 * 1024;

async function readAll(
  context: Context,
  sources: readonly NamedSource[],
  { noCheck }: UpsertOptions,
): Promise<{ files: NamedSource[]; failures: Map<PushedFile, ValsError> }> {
  const syntax = noCheck ? withoutCheck : createSyntaxCheck(context.settings.cwd);
  const warnings: string[] = [];
  const warn = (warning: string) => void warnings.push(warning);
  const failures = new Map<PushedFile, ValsError>();
  const files: NamedSource[] = [];
  let characters = 0;
  for (const source of sources) {
    try {
      const code = await source.read();
      characters += code.length;
      const keeps = characters <= maxCharactersInMemory || !source.canReadAgain;
      const file = keeps ? { ...source, read: async () => code } : source;
      files.push(file);
      checkName(source.name, warn);
      checkSizes({ code }, source.file, warn);
      syntax.add(source, code);
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      files.push(source);
      failures.set(source, error);
    }
  }
  if (failures.size > 0) return { files, failures };
  for (const warning of warnings) warnWith(context.say)(warning);
  const faults = await syntax.finish();
  for (const file of files) {
    const [fault] = faults.get(file.file) ?? [];
    if (fault !== undefined) failures.set(file, syntaxError(file.file, fault));
  }
  return { files, failures };
}

interface OneUpsert extends Pick<UpsertOptions, 'dryRun' | 'ifVersion'> {
  /** The vals that this machine knew before the push. */
  seenBefore: readonly SeenVal[];
}

async function upsert(
  context: Context,
  api: Api,
  { name, code }: { name: string; code: string },
  { dryRun, ifVersion, seenBefore }: OneUpsert,
): Promise<Outcome> {
  const before = ifVersion === undefined ? undefined : await readNamed(context, api, name, ifVersion);
  const versionBefore = withoutUndefined({ versionBefore: before?.version });
  const call = { ...routes.putVal(name, code), ifMatch: before?.etag };
  api.refuseToken(call);
  if (dryRun) return { status: 'planned', ...versionBefore };
  const { status, body = null } = await api.send(call);
  const stored = { id: textAt(body, 'id'), version: versionOf(body) };
  if (status === 201) return { status: 'created', ...idAndVersion(stored) };
  return isSeenVersion(stored, before, seenBefore)
    ? { status: 'unchanged', ...idAndVersion(stored) }
    : { status: 'pushed', ...idAndVersion(stored), ...versionBefore };
}

/** The service makes no new version if the code is the same. */
function isSeenVersion(
  { id, version }: { id: string | undefined; version: number | undefined },
  before: RemoteVal | undefined,
  seenBefore: readonly SeenVal[],
): boolean {
  if (version === undefined) return false;
  if (before !== undefined) return before.version === version;
  return seenBefore.some((seen) => seen.id === id && seen.version === version);
}

/** A service without a list of vals can have only a val that this machine has seen. */
async function readNamed(context: Context, api: Api, name: string, ifVersion: number): Promise<RemoteVal> {
  const remotes = createRemoteVals({ ...context, api }, 1);
  const named = await remotes.named(name, undefined);
  const found = named === 'unknown' ? undefined : named;
  const read = found?.id === undefined ? undefined : await remotes.read(found.id);
  if (read === undefined) throw noSuchVal(name, ifVersion);
  checkVersion(ifVersion, { val: read.id, name, version: read.version });
  return read;
}
