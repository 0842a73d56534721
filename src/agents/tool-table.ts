// The commands that agents have as tools, by their paths, with what is said otherwise to an agent than to a person.
import { folderDetails } from '../core/commands/push.ts';

interface ToolEntry {
  /** In place of the command's description and details. */
  description?: string;
  /** In place of what its arguments and options say of themselves. */
  inputs?: Readonly<Record<string, string>>;
  /** The argument with a file. An agent may give the code itself instead. */
  codeFor?: string;
}

const codeFile = { codeFor: 'file', inputs: { file: 'a file with the code of the val' } } as const;

const table: Readonly<Record<string, ToolEntry>> = {
  push: {
    description:
      'Create or update vals from files and folders (hello.ts becomes the val hello), or from code with a name. ' +
      `${folderDetails} In a workspace, a push without a path sends all new and changed files. What changed on the ` +
      'service alone is not sent. What changed on both sides is a conflict, and force overwrites the code on the ' +
      'service. Each val with new code gets a new version, and the older versions stay.',
    inputs: { paths: 'files and folders to push; in a workspace, without paths: all changed files' },
    codeFor: 'paths',
  },
  'val create': {
    description: 'Create a val from code, or from a file. The name must be new.',
    ...codeFile,
  },
  'val get': {},
  'val set': {},
  'val rm': {
    description:
      'Delete vals, with all their versions and runs, without a question. This cannot be undone. A val given by name ' +
      'or file is checked first: if it has been renamed on the service, it is not deleted.',
    inputs: { vals: 'names, ids, starts of ids, or files of vals' },
  },
  'version ls': {},
  'version get': {},
  'version diff': {},
  'version new': {
    description:
      'Add a version to a val, from code or from a file. If the code is the same as the current code, the service may ' +
      'add no version.',
    ...codeFile,
  },
  'version restore': {},
  'version rm': { description: 'Delete versions of a val without a question. This cannot be undone.' },
  ls: {},
  runs: {},
  me: {},
  likes: {},
  comments: {},
  refs: {},
  status: {},
  diff: {
    description:
      'Show the differences between the files of the workspace and the service as unified diffs. - marks lines on the ' +
      'service, + marks lines in the file.',
  },
  pull: {
    description:
      "Write the service's code into the files that are behind, or add vals that the workspace does not have yet. A " +
      'file in conflict is overwritten only with force. merge merges both codes, and marks the lines where they disagree.',
  },
  run: {
    description:
      "Run a file, or a val with the service's code, in a sandbox on this machine. A word that could be a name is the val of " +
      'that name: for the file hello, give ./hello. The default export is called with the arguments as strings. The result has the value that it returns and, ' +
      'as `run.logs`, the end of the output that it prints. The val gets no environment variables of the person, only ' +
      'those of `env`. A run is ended after 60 seconds, or after `maxTime`. A run of a ' +
      'val, not of a file, is reported to a service that records runs. Only a person can allow more.',
    inputs: { env: 'variables for the val, each as NAME=VALUE; it gets none of the server' },
  },
};

/** Undefined if agents do not get the command. */
export const entryFor = (path: string): ToolEntry | undefined =>
  Object.hasOwn(table, path) ? table[path] : undefined;
