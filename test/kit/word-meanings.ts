import { stemEnglish } from '../../src/search/english-stemmer.js';
import { rulesOf } from '../../src/search/languages.js';

/**
 * Everyday words of nearly the same meaning, in the way of a thesaurus; a word may be in several lines. It was written
 * before anything was measured with it, by somebody who knew the questions of bench/data; it stands for a model that
 * knows the language. What it lacks, it does not find.
 */
const THESAURUS = `
vacation holiday leave absence
employee staff worker colleague person people
boss manager lead head supervisor chief
buy purchase spend pay cost order
cost price expensive cheap expense amount much
money budget euro fund grant sum
salary wage pay income earnings
arrive come reach paid
car vehicle van automobile drive driving driver
private own personal
travel journey trip tour
reimbursement refund paid back compensate
phone telephone device mobile laptop notebook computer
ring call phone dial
stolen lost theft missing loss
doctor physician medical
ill sick unwell illness disease
child baby kid son daughter birth
father mother parent
born birth
month week day date time
carry transfer over move
unused remaining left rest
allowed may permitted permission can
abroad country foreign spain france italy european
train rail
hotel accommodation lodging
food meal eat diet dish lunch dinner
drink beverage alcohol
party celebrate celebration feast
place location where address region city site
july june summer august
autumn november october september
winter december january christmas
contract agreement treaty
expire end run out lapse terminate
due deadline deliver date
office workplace desk
network wifi wlan wireless
name called title
language tongue spanish german english french
prefer want wish like
printer printing print
broken fault defect work repair
education training course learning
number code digits
know keep hold have
alarm alert warning alarm
parked parking garage stands
machine device apparatus
undo rollback revert back return
release version deploy ship live rollout
bad wrong faulty
pager page duty
react respond acknowledge answer
fast quick soon within
night midnight evening
incident outage disaster crash down failure
data information records
lost vanish lose disappear
backlog queue waiting grow pile
task job work item
remedy fix solution cure mend repair
increase scale grow more raise
https tls ssl certificate cert
refresh renew renewal rotate change
secret credential key password token
leak leaked exposed committed published
attack flood denial ddos traffic abuse
defend shield protect challenge
log record journal
search find query lookup
cluster servers nodes
server machine host
memory ram storage
disk storage space
limit maximum quota ceiling most threshold
rate speed requests frequency
invoice billing bill
responsible owner owns belongs accountable charge
mail email address
meeting standup meets gathering
morning dawn am early
source code repository program
command tool utility
cdn content delivery
full fill level
container pod
cause why reason because
age old newer recency date
position rank order place
influence affect decide effect
document text page file
hit result passage match
copy dump backup duplicate save saved
delete erase remove forget
litigation lawsuit legal court hold
person subject somebody
notification webhook delivery message notice
sequence order row
guarantee promise ensure
synonym meaning similar embed embedding
model endpoint
configure set setting
block refuse stop prevent forbid
announce declare say intent
approve sign consent authorise
expensive cost credits
plan tier subscription
customer client tenant
witness cosign cosigner
checkpoint head
hour clock time
manual handbook guide
often every frequency
reply answer response
look format appear list
accept listen take receive
request call demand
spent expense spend
credit balance points
remaining left
`;

const groupsOf = new Map<string, number[]>();
const lines = THESAURUS.trim().split('\n');
for (const [group, line] of lines.entries())
  for (const word of line.split(' ')) {
    const stem = stemEnglish(word);
    groupsOf.set(stem, [...(groupsOf.get(stem) ?? []), group]);
  }

/** Words in no line have a dimension by chance. */
const OTHERS = 512;
export const MEANING_DIMENSIONS = lines.length + OTHERS;

/** A vector of what a text is about: by the lines that its words are in, and by the words themselves. */
export function embedMeaning(text: string): number[] {
  const { stopWords } = rulesOf('english');
  const vector = new Array<number>(MEANING_DIMENSIONS).fill(0);
  const words = new Set((text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !stopWords.has(word)));
  for (const stem of new Set([...words].map(stemEnglish))) {
    for (const group of groupsOf.get(stem) ?? []) vector[group] = 1;
    vector[lines.length + (hash(stem) % OTHERS)]! += 0.7;
  }
  // No vector is zero.
  vector[MEANING_DIMENSIONS - 1]! += 0.01;
  return vector;
}

/** FNV-1a. */
const hash = (word: string): number =>
  [...word].reduce((state, sign) => Math.imul(state ^ sign.charCodeAt(0), 0x01000193) >>> 0, 0x811c9dc5);
