import { defineCommand } from '../../command-line/command.ts';
import { recordOf } from '../../command-line/resolve-vals.ts';
import { ConflictError } from '../../errors.ts';
import { findSyntaxFaults } from '../../files/check-syntax.ts';
import { decode } from '../../files/files.ts';
import { checkIsCode } from '../../files/read-text.ts';
import { codeOf, versionOf } from '../../http/record-fields.ts';
import { newVersion } from '../../http/versions.ts';
import { sh } from '../../lib/hint.ts';
import { type JsonObject, textAt } from '../../lib/json.ts';
import { beyondGracePeriod } from '../../lib/signals.ts';
import { nameForFile } from '../../lib/vals.ts';
import { noCheck, syntaxError } from '../../push/syntax.ts';
import * as routes from '../../routes.ts';
import { valColumns } from '../shared/columns.ts';
import { dryRun, plan, valArgument } from '../shared/options.ts';
import { additionResult, newVersionSentence } from '../shared/written.ts';

export const command = defineCommand({
  summary: "Edit a val's code in your editor",
  description:
    "Edit a val's code in your editor ($VISUAL or else $EDITOR), and send the saved text as a new version. If you change " +
    'nothing, nothing is sent. Your text is kept in a file, whose name is shown, with --dry-run, if sending fails, or if ' +
    'somebody else changed the val in the meantime.',
  arguments: { val: valArgument },
  options: { noCheck, dryRun },
  examples: ['vals val edit hello'],
  columns: valColumns,
  async run(context, { val, noCheck, dryRun }) {
    const { edit } = await import('./editor.ts');
    const api = await context.api();
    const record = await recordOf(api, val);
    const code = codeOf(record);
    context.out.say({ kind: 'progress' });
    // Ctrl-C in the editor must not end this command.
    const { bytes, file, discard } = await beyondGracePeriod(() =>
      edit(code, `${nameForFile(textAt(record, 'name'))}.ts`, context.host.env, context.settings.system),
    );
    // An added newline at the end is not a change, because many editors add one.
    if ([code, `${code}\n`].some((text) => bytes.equals(Buffer.from(text)))) {
      await discard();
      context.host.signal.throwIfAborted();
      context.out.say({ kind: 'hint', text: 'You did not change the code, so nothing was sent.' });
      return { kind: 'nothing' };
    }
    try {
      context.host.signal.throwIfAborted();
      const edited = checkIsCode(file, decode(file, bytes));
      if (!noCheck) await refuseBrokenText(file, edited, val.word);
      const { record: now, etag } = await api.recordWithEtag(routes.getVal(val));
      if (!isSame(record, now)) throw changedMeanwhile(val.word, file);
      const before = versionOf(now);
      const call = newVersion(api, val, edited, { before, ifMatch: etag });
      if (dryRun) {
        // The plan shows only the beginning of a long text.
        context.out.say({ kind: 'warning', text: textIsIn(file) });
        return plan(call);
      }
      const reply = await api.send({ ...call, expects: 'record' });
      await discard();
      return additionResult(context, { val, code: edited, reply, before }, newVersionSentence);
    } catch (error) {
      context.out.say({ kind: 'warning', text: textIsIn(file) });
      throw error;
    }
  },
});

const textIsIn = (file: string): string => `Your text is in ${file}.`;

const isSame = (opened: JsonObject, now: JsonObject): boolean =>
  codeOf(opened) === codeOf(now) && versionOf(opened) === versionOf(now);

const changedMeanwhile = (val: string, file: string): ConflictError =>
  new ConflictError('The val was changed on the service while you edited it. Nothing was sent.', {
    hint: [
      sh`To see the code on the service, run ${['val', 'get', val, '--code']}.`,
      sh`To send your text as the next version, run ${['version', 'new', val, file]}.`,
    ],
  });

async function refuseBrokenText(file: string, code: string, val: string): Promise<void> {
  const [fault] = await findSyntaxFaults(code);
  if (fault === undefined) return;
  throw syntaxError(file, fault, [
    'Fix the text in that file.',
    sh`To send it, run ${['version', 'new', val, file]}.`,
  ]);
}
