import { fork, type ChildProcess } from 'node:child_process';
import { childEnvironment } from '../../common/config/child-environment.js';
import type { DatabaseAddress } from '../../common/database/connection.js';
import type { Credentials } from '../../common/database/credentials-file.js';
import { PROGRAM } from '../../common/program-file.js';
import { UserError } from '../../common/user-error.js';
import type { PreparationMessage } from './messages.js';

/**
 * Migrates and makes the first tenant, in a process that ends: what that loads, TypeORM and every migration, would else
 * stay in the supervisor's memory for good.
 */
export class Preparation {
  private readonly child: ChildProcess;

  /** Starts the process, which loads its program and then waits for `run`. */
  constructor(environment: Record<string, string>) {
    this.child = fork(PROGRAM, ['prepare'], {
      env: childEnvironment(environment),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  /**
   * @returns the credentials when a first tenant was made
   * @throws UserError with what went wrong
   */
  run(address: DatabaseAddress, log: (message: string) => void): Promise<Credentials | undefined> {
    const done = Promise.withResolvers<Credentials | undefined>();
    const fail = (how: string) => done.reject(new UserError(how));
    this.child.on('message', (message: PreparationMessage) => {
      if ('log' in message) log(message.log);
      else if ('made' in message) done.resolve(message.made ?? undefined);
      else fail(message.failed);
    });
    this.child.once('error', (error) => fail(`The database cannot be prepared: ${error.message}`));
    this.child.once('exit', (code, signal) => fail(`The database was not prepared (${signal ?? `code ${code}`})`));
    if (this.child.connected) this.child.send(address, (error) => error && fail(error.message));
    else fail('The database was not prepared: its process ended');
    return done.promise;
  }
}
