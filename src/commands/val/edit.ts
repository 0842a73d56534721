import { codeOf, textAt } from '../../api/records.ts';
import * as routes from '../../api/routes.ts';
import { defineCommand } from '../../cli/command.ts';
import { checkSizes } from '../../workspace/sources/limits.ts';
import { decode, notEmpty } from '../../workspace/sources/read-text.ts';
import { valColumns } from '../shared/columns.ts';
import { newVersion } from '../shared/done.ts';
import { dryRun, plan, valArgument } from '../shared/options.ts';

export const valEdit = defineCommand({
  path: 'val edit',
  summary: "Edit a val's code in your editor",
  description:
    "Edit a val's code in your editor ($VISUAL, then $EDITOR) and add what you saved as a new version. Where nothing " +
    'changed, nothing is sent; where sending fails, the text stays in a file that is named.',
  arguments: { val: valArgument },
  options: { dryRun },
  examples: ['vals val edit 4f2c0c1e-6a53-4bd2-9a2e-1f1f3f0b9c11'],
  columns: valColumns,
  async run(context, { val, dryRun }) {
    const { edit } = await import('../../terminal/editor.ts');
    const api = await context.connect();
    const record = await api.record({ ...routes.getVal(val), withoutToken: false });
    const code = codeOf(record);
    context.progress.stop();
    const { bytes, file, discard } = await edit(code, `${fileName(textAt(record, 'name'))}.ts`, context.env);
    try {
      context.signal.throwIfAborted();
      const edited = notEmpty(file, decode(file, bytes));
      // Many editors end the last line; that alone is no edit.
      if (edited === code || edited === `${code}\n`) {
        await discard();
        context.hint('Nothing changed, so nothing was sent.');
        return undefined;
      }
      checkSizes({ code: edited }, file, context.warn);
      const call = routes.createVersion(val, edited);
      if (dryRun) {
        await discard();
        return plan(call);
      }
      const sent = await api.record(call);
      await discard();
      context.done(newVersion(sent));
      return sent;
    } catch (error) {
      context.warn(`What you wrote is in ${file}.`);
      throw error;
    }
  },
});

/** What the editor shows; a name that may not be a file's is not needed for it. */
const fileName = (name = ''): string => (/^\w{1,60}$/.test(name) ? name : 'val');
