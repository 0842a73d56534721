import type { Run } from '../core/command-line/command.ts';
export const fileAndOthers = (file: string, others: number): string =>
  others === 0 ? file : `${file} and ${others} more ${others === 1 ? 'file' : 'files'}`;

export function notePossibleTakeovers({ flags, out: { say } }: Run, files: readonly string[]): void {
  const [file] = files;
  if (file === undefined || flags.json || flags.ndjson) return;
  const reason = 'The service cannot list vals.';
  say({
    kind: 'note',
    text:
      files.length === 1
        ? `${reason} If the service already has a val with the name of ${file}, a push replaces the code of that val.`
        : `${reason} If the service already has vals with the names of ${fileAndOthers(file, files.length - 1)}, a push replaces the code of those vals.`,
  });
}
