// What a word on the command line means in a workspace: a file, a name or an id.
import { basename } from 'node:path';
import { NotFoundError } from '../errors.ts';
import { asQuestion, didYouMean } from '../lib/suggest.ts';
import { type Settings, serviceName } from '../settings/settings.ts';
import { openOwnFolder } from './records/own-folder.ts';
import { createRecords, type Records } from './records/val-records.ts';
import { createVals, type WorkspaceVal } from './vals.ts';
import { fileBelow, type KnownVals, nameOf, pathTo, valOfFile, valsOf, type Workspace } from './workspace.ts';

export function findVal(known: KnownVals, word: string): WorkspaceVal | undefined {
  const file = fileBelow(known, word);
  const ofFile = file === undefined ? undefined : valOfFile(known, file);
  return ofFile ?? known.vals.ofName(word) ?? known.vals.ofId(word);
}

export function unknownVal(known: KnownVals, word: string): NotFoundError {
  const paths = [...known.vals].map(({ file }) => pathTo(known, file));
  const inFolder = paths.find((path) => basename(path) === word);
  const suggestion = inFolder
    ? asQuestion([`"${inFolder}"`])
    : didYouMean(word, [...[...known.vals].map(({ name }) => name), ...paths]);
  return new NotFoundError(`The workspace has no val "${word}".${suggestion}`, {
    hint: { text: 'To list the vals of the workspace', command: 'status' },
  });
}

export interface WorkspaceNames {
  /** Undefined if no val of the workspace has this file, name or id. */
  find(word: string): FoundVal | undefined;
  namesAndFiles: string[];
}

interface FoundVal {
  name: string;
  /** Undefined if the service has to be asked for the id. */
  id: string | undefined;
  /** The error if the service has no val of that name either. */
  notFound(): NotFoundError;
}

export function readWorkspaceNames(root: string, settings: Settings): WorkspaceNames {
  const service = serviceName(settings);
  const known = knownVals(root, settings, service);
  const { vals, records } = known;
  return {
    find(word) {
      const val = findVal(known, word);
      if (val === undefined) return undefined;
      const id = val.id ?? records?.of(val)?.id;
      return { name: val.name, id, notFound: () => withoutId({ service, records }, val) };
    },
    namesAndFiles: [...vals].flatMap(({ name, file }) => [name, pathTo(known, file)]),
  };
}

/** Without a service, there are neither ids nor records. */
export function knownVals(
  root: string,
  settings: Settings,
  service: string | undefined,
): KnownVals & { records: Records | undefined } {
  const records =
    service === undefined
      ? undefined
      : createRecords(
          openOwnFolder(settings, root),
          service,
          (file) => vals.ofFile(file) !== undefined,
          () => {},
        );
  const vals = createVals(valsOf(root, service), (val) => records?.of(val)?.id);
  return { root, cwd: settings.cwd, vals, records };
}

export function withoutId(
  { service, records }: Pick<Workspace, 'service'> & { records: Records | undefined },
  val: WorkspaceVal,
): NotFoundError {
  const { name } = val;
  return records?.of(val) === undefined
    ? new NotFoundError(`The val "${name}" is in the workspace, but not on ${nameOf(service)}.`, {
        hint: { text: 'To push the val', command: 'push' },
      })
    : new NotFoundError(`The val "${name}" was pushed to ${nameOf(service)}, which sent no id.`, {
        hint: [
          'Find the id of the val on the service.',
          { text: 'To make the id known', command: 'pull', input: { vals: true } },
        ],
      });
}
