//! What is typed into a field and not in use yet, kept by the page.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::drafts::{Draft, Drafts};
use crate::store;

/// The page's drafts; clones are the same ones.
#[derive(Clone, Default)]
pub(crate) struct DraftBook {
    drafts: Rc<RefCell<Drafts>>,
    /// Whether they outlive the page: not where it is a figure within another one.
    kept: bool,
}

impl PartialEq for DraftBook {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.drafts, &other.drafts)
    }
}

impl DraftBook {
    /// Those of this tab, before it was loaded again.
    pub(crate) fn kept() -> Self {
        let drafts: Drafts = store::load_here(store::DRAFTS).unwrap_or_default();
        Self {
            drafts: Rc::new(RefCell::new(drafts)),
            kept: true,
        }
    }
}

/// What is typed into one field, and how it changes.
#[derive(Clone)]
pub(crate) struct Typed {
    book: DraftBook,
    field: String,
    over: String,
    update: UseForceUpdateHandle,
    /// What is typed, if anything is.
    pub draft: Option<Draft>,
    shows: Rc<RefCell<(String, bool)>>,
}

impl Typed {
    /// The typed text.
    pub(crate) fn text(&self) -> Option<&str> {
        self.draft.as_ref().map(|draft| draft.text.as_str())
    }

    /// Keeps a text, with why it was refused.
    pub(crate) fn keep(&self, text: String, refused: Option<String>) {
        self.set(Some(Draft {
            text,
            over: self.over.clone(),
            refused,
        }));
    }

    /// Nothing is typed any more.
    pub(crate) fn clear(&self) {
        self.set(None);
    }

    fn set(&self, draft: Option<Draft>) {
        self.shows.borrow_mut().1 = true;
        let mut drafts = self.book.drafts.borrow_mut();
        drafts.set(&self.field, draft);
        if self.book.kept {
            store::save_here(store::DRAFTS, &*drafts);
        }
        drop(drafts);
        self.update.force_update();
    }
}

/// The draft of the field of that name, which shows `value` where nothing is typed. What is typed stays,
/// whatever happens to the value meanwhile.
#[hook]
pub(crate) fn use_draft(field: &str, value: &str) -> Typed {
    let book = use_context::<DraftBook>().unwrap_or_default();
    let update = use_force_update();
    let shows = use_mut_ref(|| (String::new(), false));
    {
        let mut shows = shows.borrow_mut();
        if shows.0 != field {
            let found = book.drafts.borrow().found(field, value).is_some();
            *shows = (field.to_owned(), found);
        }
    }
    let draft = book.drafts.borrow().get(field).cloned();
    let shown = shows.borrow().1;
    Typed {
        book,
        field: field.to_owned(),
        over: value.to_owned(),
        update,
        draft: draft.filter(|_| shown),
        shows,
    }
}
