import { type Context, defineCommand } from '../../command-line/command.ts';
import { recordOf } from '../../command-line/resolve-vals.ts';
import { val } from '../../command-line/value-types.ts';
import type { GivenVal } from '../../find-val/find-val.ts';
import { codeOf, versionOf } from '../../http/record-fields.ts';
import { readVersion, shownVersion } from '../../http/versions.ts';
import { type JsonObject, textAt, withoutUndefined } from '../../lib/json.ts';
import { shownValColumns, valColumns } from '../shared/columns.ts';
import { isForProgram } from '../shared/written.ts';

export const command = defineCommand({
  summary: 'Show a val',
  description: 'Show a val, or one of its versions. The command needs no token for a public or unlisted val.',
  arguments: {
    val: {
      description: 'the name, id, start of the id, or file of a val; NAME@2 is version 2',
      value: val({ orVersion: true }),
    },
  },
  options: {
    code: { description: 'print only the code of the val, byte for byte', conflicts: ['readme'] },
    readme: { description: 'print only the readme of the val, byte for byte' },
  },
  examples: ['vals val get hello', 'vals val get hello@1 --json', 'vals val get hello --code > hello.ts'],
  columns: valColumns,
  async run(context, { val, code, readme }) {
    const { version } = val;
    const api = await context.api();
    const read =
      version === undefined
        ? await recordOf(api, val, { tokenIsOptional: true })
        : await readVersion(api, val, version, { tokenIsOptional: true });
    if (readme) return { kind: 'text', text: textAt(read, 'readme') ?? '' };
    if (code) return { kind: 'text', text: codeOf(read) };
    const record = await withVersion(context, val, read);
    const { code: text } = record;
    if (typeof text !== 'string') return { kind: 'record', record };
    return { kind: 'record', record, forPerson: { columns: shownValColumns, text } };
  },
});

/** A program gets what the service sent. */
async function withVersion(context: Context, val: GivenVal, read: JsonObject): Promise<JsonObject> {
  if (isForProgram(context)) return read;
  // A service may send a version without the name and the id of its val.
  if (val.version !== undefined) return { id: val.id, ...withoutUndefined({ name: val.name }), ...read };
  const { fields } = context.flags;
  const isShown = fields === undefined || fields.includes('version');
  if (!isShown || versionOf(read) !== undefined) return read;
  return { ...read, ...withoutUndefined({ version: await shownVersion(await context.api(), val, read) }) };
}
