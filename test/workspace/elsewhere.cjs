// Loaded before the program. Makes it use the code for systems other than Linux.
Object.defineProperty(process, 'platform', { value: 'darwin' });
