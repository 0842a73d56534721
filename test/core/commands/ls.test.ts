import { describe, expect, it } from 'vitest';
import { run, runOnScreen } from '../../support/program.ts';
import { startStrict } from '../../support/strict-service.ts';

const names = ({ stdout }: { stdout: string }) =>
  JSON.parse(stdout)
    .map(({ name }: { name: string }) => name)
    .sort();

describe('vals ls on a service with a list', () => {
  it('finds vals whose names contain the word', async () => {
    const { env, edit } = await startStrict({ list: true });
    for (const name of ['getPrice', 'cart', 'hello', 'price']) edit(name, 'code');
    const ls = async (...args: string[]) => names(await run(['ls', ...args, '--json'], { env }));
    expect(await ls('price')).toEqual(['getPrice', 'price']);
    expect(await ls('absent')).toEqual([]);
    expect((await runOnScreen(['ls', 'absent'], { env })).screen).toContain(
      'None of your vals has the word in its name.',
    );
  });

  it('counts --limit and --offset among the vals that match', async () => {
    const { env, edit } = await startStrict({ list: true });
    for (let i = 0; i < 6; i += 1) edit(`${i % 2 ? 'odd' : 'even'}${i}`, 'code');
    const all = JSON.parse((await run(['ls', 'odd', '--json'], { env })).stdout);
    expect(all).toHaveLength(3);
    const some = await run(['ls', 'odd', '--limit', '2', '--offset', '1', '--json'], { env });
    expect(JSON.parse(some.stdout)).toEqual(all.slice(1, 3));
    const { screen } = await runOnScreen(['ls', 'odd', '--limit', '2'], { env });
    expect(screen).toContain('There are more');
  });
});
