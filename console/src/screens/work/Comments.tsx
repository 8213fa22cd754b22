import { fieldError } from '../../client/field-errors.ts';
import { useChange, usePages } from '../../client/queries.ts';
import { useActingPassport } from '../../components/acting-passport.tsx';
import { Button } from '../../components/Button.tsx';
import { useDraft } from '../../components/drafts.ts';
import { TextField } from '../../components/fields.tsx';
import { Section } from '../../components/Page.tsx';
import { Answer, Failure } from '../../components/states.tsx';
import { Time } from '../../components/Time.tsx';
import { announce } from '../../components/toasts.tsx';
import { commentOnWork, listComments } from '../../generated/daemon/sdk.gen.ts';

const NOTHING = { body: '' };

export function Comments({ id }: { id: string }) {
  const pages = usePages(['work', 'comments', id], (cursor) =>
    listComments({ path: { id }, query: cursor === undefined ? {} : { cursor } }),
  );
  return (
    <Section title="Comments">
      <Answer query={pages}>
        {(read) => {
          const comments = read.flatMap((page) => page.comments);
          if (comments.length === 0) return <p className="quiet">Nobody has said anything yet.</p>;
          return (
            <ol className="plain-list">
              {comments.map(({ comment_id, author_passport, body, created_at }) => (
                <li key={comment_id}>
                  <strong>{author_passport}</strong>{' '}
                  <span className="quiet">
                    <Time at={created_at} />
                  </span>
                  <p className="text-body">{body}</p>
                </li>
              ))}
            </ol>
          );
        }}
      </Answer>
      {pages.hasNextPage && (
        <Button onPress={() => void pages.fetchNextPage()} isPending={pages.isFetchingNextPage}>
          More comments
        </Button>
      )}
      <CommentForm id={id} />
    </Section>
  );
}

function CommentForm({ id }: { id: string }) {
  const { passport } = useActingPassport();
  const { draft, change, clear } = useDraft(`comment ${id}`, NOTHING);
  const comment = useChange(
    (body: string) => commentOnWork({ path: { id }, body: { author_passport: passport ?? '', body } }),
    ['work', 'receipts'],
  );
  const send = () =>
    comment.mutate(draft.body, {
      onSuccess: () => {
        clear();
        announce('Said.');
      },
    });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <TextField
        label="Comment"
        value={draft.body}
        onChange={(body) => change({ body })}
        error={fieldError(comment.error, 'body')}
        hint={passport ? `Said by ${passport}.` : 'Fill in “Act by passport” first: a comment has an author.'}
        isMultiline
      />
      {comment.error && <Failure failure={comment.error} />}
      <div>
        <Button right="write" type="submit" isDisabled={!passport || !draft.body.trim()} isPending={comment.isPending}>
          Comment
        </Button>
      </div>
    </form>
  );
}
