import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ChatServer {
  url: string;
  /** The texts that it was asked about. */
  asked: string[];
  /** What it answers to a text: the content of its message, or a status. */
  answer: (text: string) => string | number;
  close(): Promise<void>;
}

/** An OpenAI-compatible chat endpoint on a free loopback port that answers what a test wants. */
export async function startChat(answer: ChatServer['answer']): Promise<ChatServer> {
  const chat: ChatServer = { url: '', asked: [], answer, close: () => Promise.resolve() };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(parts).toString()) as { messages: { content: string }[] };
      const text = messages.at(-1)!.content;
      chat.asked.push(text);
      const said = chat.answer(text);
      if (said === 'hang') return;
      response.writeHead(typeof said === 'number' ? said : 200, { 'content-type': 'application/json' });
      response.end(typeof said === 'number' ? '{}' : JSON.stringify({ choices: [{ message: { content: said } }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  chat.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  chat.close = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return chat;
}
