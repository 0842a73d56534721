import { LocalError } from '../../errors.ts';
import { type JsonValue, parseJson, stringifyJson } from '../../lib/json.ts';
import { largest } from '../../lib/plain-file.ts';
import { folderMark } from './dot-vals.ts';
import { readBytesBelow } from './files.ts';
import { type Note, parseNote } from './notes.ts';
import { dotValsFolder } from './root.ts';
import { appendBelow, removeBelow } from './write-files.ts';

// The mark in the file name makes vals ignore a journal that came with a cloned repository. Such a journal
// could lead a push to the wrong val.
function fileOf(root: string): string | undefined {
  const mark = folderMark(root);
  return mark === undefined ? undefined : `${dotValsFolder}/journal-${mark}.ndjson`;
}

export function appendToJournal(root: string, note: Note): void {
  const file = fileOf(root);
  if (file === undefined) {
    throw new LocalError(`${dotValsFolder} was removed from ${root} while the command was running.`, {
      hint: 'To make a new .vals, run the command again.',
    });
  }
  // The text begins with a line break, because the journal may end in a line that a crash cut off.
  appendBelow(root, file, `\n${stringifyJson({ ...note })}\n`);
}

export interface Journal {
  text: string;
  notes: Note[];
}

export function readJournal(root: string): Journal {
  const file = fileOf(root);
  const bytes = file === undefined ? undefined : readBytesBelow(root, file, largest.manifest);
  const text = bytes?.toString() ?? '';
  return { text, notes: text.split('\n').flatMap((line) => parseNote(parseLine(line)) ?? []) };
}

function parseLine(line: string): JsonValue {
  try {
    return line === '' ? null : parseJson(line);
  } catch {
    return null;
  }
}

export function removeJournal(root: string, { text }: Journal): void {
  const file = fileOf(root);
  // If another process has added a line, the journal stays, so that the line is not lost.
  if (file !== undefined && text !== '' && readJournal(root).text === text) removeBelow(root, file);
}
