// The journal: notes about names and ids of vals that are not in vals.json yet.
//
// A push of thousands of vals learns an id with each answer. Replacing vals.json each time would be quadratic, and
// replacing it only at the end would lose the ids in a crash. So each note becomes a line of a file in .vals, and
// the notes are written into vals.json when the command ends or, after a crash, when a later command changes vals.json.
// Until then, vals.json is read together with the journal.
//
// The name of the journal contains the mark of its .vals. A journal that came with a clone has another mark and is not
// read. Otherwise it could lead a push to somebody else's val.
import { LocalError } from '../../errors.ts';
import { type JsonValue, parseJson, stringifyJson } from '../../lib/json.ts';
import { largest } from '../../lib/plain-file.ts';
import { folderMark } from './dot-vals.ts';
import { readBytesBelow } from './files.ts';
import { type Note, parseNote } from './notes.ts';
import { dotValsFolder } from './root.ts';
import { appendBelow, removeBelow } from './write-files.ts';

function fileOf(root: string): string | undefined {
  const mark = folderMark(root);
  return mark === undefined ? undefined : `${dotValsFolder}/journal-${mark}.ndjson`;
}

/**
 * The folder .vals must exist. The line is not flushed to the disk, because the system keeps it even if the process is
 * killed.
 */
export function appendToJournal(root: string, note: Note): void {
  const file = fileOf(root);
  if (file === undefined) {
    throw new LocalError(`${dotValsFolder} is gone from ${root}.`, {
      hint: 'Run the command again. It makes a new .vals.',
    });
  }
  // The line break at the beginning separates the new line from an earlier line that a crash cut off.
  appendBelow(root, file, `\n${stringifyJson({ ...note })}\n`);
}

export interface Journal {
  text: string;
  notes: Note[];
}

export function readJournal(root: string): Journal {
  const file = fileOf(root);
  // The journal is read as bytes, because a crash may have cut off a line within a character. Such a line is skipped.
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

/**
 * Keeps the journal if another process added a note after `text` was read. That process will write its note into
 * vals.json.
 */
export function removeJournal(root: string, { text }: Journal): void {
  const file = fileOf(root);
  if (file !== undefined && text !== '' && readJournal(root).text === text) removeBelow(root, file);
}
