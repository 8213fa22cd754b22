import { SvcClient } from '@svc/client';

const svc = SvcClient.fromEnvironment();
console.log(await svc.callTool('query_vault', { query: 'How many days of leave?' }));
