/**
 * What keeps a path from naming a file below a folder by itself, whatever is on the disk; undefined: nothing. Absolute
 * paths and `..` are refused even where they would lead back into the folder.
 */
export function pathFault(path: string): string | undefined {
  if (path.includes('\0')) return 'has a NUL character';
  if (path.includes('\\')) return 'has a backslash; folders are separated by slashes';
  if (path.startsWith('/')) return 'is absolute; name the file relative to the folder of SVCD_LAYERS_ROOT';
  const parts = path.split('/');
  if (parts.includes('..')) return 'has "..", which leads out of the folder of SVCD_LAYERS_ROOT';
  if (parts.some((part) => part === '' || part === '.')) return 'has an empty part or "."; leave it out';
  return undefined;
}
