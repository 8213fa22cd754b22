/** This process's environment with some variables changed, for a child process that reads its own settings. */
export const childEnvironment = (changes: Record<string, string>): Record<string, string | undefined> => ({
  ...process.env,
  ...changes,
});
