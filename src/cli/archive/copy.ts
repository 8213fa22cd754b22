import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type { Client, Submittable } from 'pg';

/** What node-postgres hands to a query of one's own making. Its types leave the COPY part out. */
interface CopyConnection {
  readonly stream: Socket;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

/** Bytes held between the server and a slower reader. */
const HELD_BYTES = 4 * 1024 * 1024;

/**
 * Runs `copy ... to stdout` and gives its data as it comes (PostgreSQL documentation, "COPY Operations" of the message
 * flow).
 * The server waits while the reader does.
 */
export function copyOut(client: Client, sql: string): AsyncIterable<Buffer> {
  const out = new PassThrough({ highWaterMark: HELD_BYTES });
  let connection: CopyConnection | undefined;
  out.on('drain', () => connection?.stream.resume()).on('close', () => connection?.stream.resume());
  const query = {
    submit: (given: CopyConnection): void => {
      connection = given;
      given.query(sql);
    },
    handleCopyData: ({ chunk }: { chunk: Buffer }): void => {
      // A copy: the chunk lies in the driver's buffer, which is written over while the reader still has it.
      if (!out.destroyed && !out.write(Buffer.from(chunk))) connection?.stream.pause();
    },
    handleCommandComplete: (): void => undefined,
    handleReadyForQuery: (): void => void out.end(),
    handleError: (error: Error): void => void out.destroy(error),
  };
  client.query(query as unknown as Submittable);
  return out;
}

/** Runs `copy ... from stdin` with this data; when the data fails, so does the statement. */
export function copyIn(client: Client, sql: string, data: AsyncIterable<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const query = {
      submit: (connection: CopyConnection): void => connection.query(sql),
      handleCopyInResponse: (connection: CopyConnection): void => {
        pump(data, connection).catch((error: unknown) => {
          failure = error as Error;
          connection.sendCopyFail('the data ended in an error');
        });
      },
      handleCommandComplete: (): void => undefined,
      handleReadyForQuery: (): void => resolve(),
      handleError: (error: Error): void => reject(failure ?? error),
    };
    client.query(query as unknown as Submittable);
  });
}

async function pump(data: AsyncIterable<Buffer>, connection: CopyConnection): Promise<void> {
  for await (const chunk of data) {
    connection.sendCopyFromChunk(chunk);
    if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
  }
  connection.endCopyFrom();
}
