import { SvcClient, SvcProblem } from '@svc/client';

const svc = SvcClient.fromEnvironment();
const failed = await svc.api.retrievePassages({ body: { query: '' } }).catch((error: unknown) => error);
if (failed instanceof SvcProblem) console.log(failed.type, failed.status, failed.errors[0]?.path);
