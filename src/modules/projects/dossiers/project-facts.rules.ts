import { projectEntities } from '../projects/projects.types.js';
import type { Topic } from './project-facts.types.js';

/** The first word of a name, by which its topic is known. */
const WORDS: Readonly<Record<string, Topic>> = {
  ...each('decisions', 'decision', 'decisions', 'decided'),
  ...each('risks', 'risk', 'risks'),
  ...each('questions', 'question', 'questions', 'open-question', 'open-questions', 'open_question', 'open_questions'),
  ...each('people', 'people', 'person', 'owner', 'owners', 'team', 'role', 'roles', 'contact', 'contacts'),
};

/** What of its name follows the project: `decisions db` of `project:shop/decisions` and `db`. */
export function nameInProject(projectId: string, { entity, key }: { entity: string; key: string }): string {
  const rest = entity.slice(projectEntities(projectId).entity.length + 1);
  return rest === '' ? key : `${rest} ${key}`;
}

/** By the first word below the project's entity, else that of the key: up to a space, slash, colon or full stop. */
export function topicOf(projectId: string, fact: { entity: string; key: string }): Topic {
  const [word = ''] = nameInProject(projectId, fact).split(/[\s/:.]/, 1);
  return Object.hasOwn(WORDS, word.toLowerCase()) ? WORDS[word.toLowerCase()]! : 'other';
}

function each(topic: Topic, ...words: string[]): Record<string, Topic> {
  return Object.fromEntries(words.map((word) => [word, topic]));
}
