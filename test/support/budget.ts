// How often a random test is repeated: twenty times as often in `npm run test:long`.

export const isLong = process.env.VALS_TEST_LONG === '1';

export const budget = (usual: number): number => (isLong ? 20 * usual : usual);
