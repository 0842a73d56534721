import { defineCommand } from '../../../core/command-line/command.ts';
import { age, text } from '../../../core/command-line/value-types.ts';
import { dryRun, plan } from '../../../core/commands/shared/options.ts';
import { hasStatus, UnknownOutcomeError } from '../../../core/errors.ts';
import { sh } from '../../../core/lib/hint.ts';
import { column, idColumn, moment } from '../../../core/output/column.ts';
import * as routes from '../../../core/routes.ts';
import { onTokenRoute } from './my-tokens.ts';

export const command = defineCommand({
  summary: 'Create another token of your own, and print it once',
  description:
    'Create another token of your own: for CI, or for a second machine. The token is shown only once. ' +
    'Made at the base URL of a space, the token works only in that space. What a token may do never grows. A restricted ' +
    'token (to a space, to deploying or reading, or with an expiry date) cannot create tokens.',
  arguments: { name: { description: 'a name that tells what the token is for', value: text('name') } },
  options: {
    readOnly: { description: 'a token that can read, but change nothing', conflicts: ['deploy'] },
    deploy: { description: 'a token that can read, create private vals and add versions, and nothing else' },
    expires: {
      description: 'let the token expire after this time, such as 90d (default: never)',
      value: age(),
    },
    dryRun,
  },
  examples: [
    'vals token add ci --deploy',
    'vals token add laptop --expires 90d',
    'vals token add dashboard --read-only --json | jq -r .token',
  ],
  columns: [
    column('name'),
    { ...column('token'), neverCut: true },
    column('space'),
    column('access'),
    moment('ends', 'expiresAt'),
    idColumn('id'),
  ],
  async run(context, { name, readOnly, deploy, expires, dryRun }) {
    const call = routes.createToken({
      name,
      ...(readOnly && { access: 'read' }),
      ...(deploy && { access: 'deploy' }),
      ...(expires !== undefined && { expiresAt: new Date(context.host.clock.now() + expires).toISOString() }),
    });
    if (dryRun) return plan(call);
    const api = await context.api();
    const record = await onTokenRoute(() => api.record(call)).catch((error) => {
      throw withNextStep(error, name);
    });
    context.out.say({ kind: 'done', text: `Made the token ${name}.` });
    context.out.say({
      kind: 'hint',
      text: 'Copy the token now, because it is shown only once. In CI, keep it as the secret VALS_TOKEN.',
    });
    return { kind: 'record', record };
  },
});

function withNextStep(error: unknown, name: string): unknown {
  if (hasStatus(error, 409)) {
    const end = sh`To end the token of that name, run ${['token', 'rm', name]}.`;
    error.facts.hint = ['Choose another name.', end];
  } else if (error instanceof UnknownOutcomeError) {
    error.facts.hint = [
      sh`To see whether the token was made, run ${['token', 'ls']}.`,
      'If it was made, nobody has seen it: remove it, and make another one.',
    ];
  }
  return error;
}
