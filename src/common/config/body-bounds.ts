const MIB = 1024 * 1024;
/** What a form adds to its file: fields, and the heads of its parts. */
const MAX_FORM_BYTES = 1024 * 1024;

/** The settings that bound bodies. */
interface Bounds {
  process: { maxInflightBodyMib: number };
  api: { maxBodyBytes: number; maxFileMib: number };
  tools: { maxBodyBytes: number };
  daemon: { maxBodyBytes: number };
}

/** Largest body with a file, in bytes. */
export const fileBound = (maxFileMib: number): number => maxFileMib * MIB + MAX_FORM_BYTES;

/** The bound of a route, which is never more than the process holds at once: a larger body would be 503 each time. */
export const boundWithin = (bytes: number, { process }: Pick<Bounds, 'process'>): number =>
  Math.min(bytes, process.maxInflightBodyMib * MIB);

/** What is wrong with settings that take a larger body than the process holds at once. */
export function findBodyFaults({ process: { maxInflightBodyMib: most }, api, tools, daemon }: Bounds): string[] {
  const largest: [string, number][] = [
    ['SVC_MAX_BODY_BYTES', api.maxBodyBytes],
    ['SVC_MAX_FILE_MIB', fileBound(api.maxFileMib)],
    ['SVC_TOOLS_MAX_BODY_BYTES', tools.maxBodyBytes],
    ['SVCD_MAX_REQUEST_BODY_BYTES', daemon.maxBodyBytes],
  ];
  return largest.flatMap(([name, bytes]) =>
    bytes <= most * MIB
      ? []
      : [
          `SVC_MAX_INFLIGHT_BODY_MIB: ${most} is less than the ${Math.ceil(bytes / MIB)} MiB of the largest body by ${name}; raise it, or lower ${name}`,
        ],
  );
}
