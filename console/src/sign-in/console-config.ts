import { answerOf } from '../client/answer.ts';
import { readConsoleConfig as ask } from '../generated/daemon/sdk.gen.ts';
import type { ConsoleConfig } from '../generated/daemon/types.gen.ts';

export type { ConsoleConfig };

/** What the page has to know before anybody signed in. @throws RequestFailure */
export const readConsoleConfig = (): Promise<ConsoleConfig> => answerOf(ask({ cache: 'no-store' }));
