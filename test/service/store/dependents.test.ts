import { expect, it } from 'vitest';
import { runOnScreen } from '../../support/program.ts';
import { startTeam } from '../support/team.ts';
import { clientOf } from '../support.ts';

it('val rm names the vals that import what is to be deleted, and counts those that the person may not see', async () => {
  const { ada, bob, baseUrl } = await startTeam();
  const at = (person: { token: string }) => clientOf({ baseUrl, token: person.token });
  const used = await at(ada).createVal({ name: 'used', code: 'c', privacy: 'public' });
  const code = `import '${baseUrl}/v1/vals/${used.id}/module'`;
  await at(ada).createVal({ name: 'own', code });
  await at(ada).createVal({ name: 'leaving', code });
  await at(bob).createVal({ name: 'shown', code, privacy: 'public' });
  await at(bob).createVal({ name: 'hidden', code });
  const env = { VALS_BASE_URL: baseUrl, VALS_TOKEN: ada.token };
  const { screen } = await runOnScreen(['val', 'rm', 'used', 'leaving', '--no-color'], {
    env,
    home: ada.home,
    columns: 120,
    answers: [{ after: '[y/N]', keys: 'n\r' }],
  });
  expect(screen).toContain('warning: used is imported by bob/shown, own and 1 more.');
  const planned = await runOnScreen(['val', 'rm', 'own', 'used', '--dry-run'], {
    env,
    home: ada.home,
    columns: 120,
  });
  expect(planned.screen).toContain('used is imported by bob/shown, leaving and 1 more.');
});
