// Loaded before the program: has it do without what Linux alone can do.
Object.defineProperty(process, 'platform', { value: 'darwin' });
