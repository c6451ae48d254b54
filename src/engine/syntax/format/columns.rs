//! Lines in columns: what stands below each other in neighbouring lines.
//!
//! Never looks at comments or blank lines: `layout` says which lines are neighbours, here they are given the
//! same widths. A very wide cell makes no column wider, or one hostile name would blow up its whole file.
//!
//! INVARIANT: the text of a line depends on its own run of neighbours only, not on their order.

/// Widest cell that a column is made for; a wider one pushes only its own line apart.
pub(super) const CELL_CHARS_MAX: usize = 48;

/// Which lines share columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Its text as it is.
    Alone,
    /// `word NAME = …`
    Assigned,
    /// `signal NAME  UNIT  …`
    Signal,
    /// `stream NAME  { … }`
    Stream,
}

impl Form {
    /// What stands between two cells.
    fn gap(self) -> &'static str {
        match self {
            Self::Alone | Self::Assigned => " ",
            Self::Signal | Self::Stream => "  ",
        }
    }
}

/// One line, cut into cells.
#[derive(Debug)]
pub(super) struct Line {
    form: Form,
    /// An empty cell keeps its place where a neighbour fills it. The last is never padded.
    cells: Vec<String>,
}

impl Line {
    /// A line without columns.
    pub(super) fn alone(text: String) -> Self {
        Self { form: Form::Alone, cells: vec![text] }
    }

    /// `HEAD = VALUE`
    pub(super) fn assigned(head: String, value: &str) -> Self {
        Self { form: Form::Assigned, cells: vec![head, format!("= {value}")] }
    }

    /// A line of cells.
    pub(super) fn cells(form: Form, cells: Vec<String>) -> Self {
        Self { form, cells }
    }

    /// The text in columns of these widths.
    pub(super) fn text(&self, widths: &Widths) -> String {
        let mut out = String::new();
        for (index, cell) in self.cells.iter().enumerate() {
            let width = widths.of(self.form, index);
            if index > 0 && (width > 0 || !cell.is_empty()) {
                out.push_str(self.form.gap());
            }
            out.push_str(cell);
            if index + 1 < self.cells.len() {
                let count = cell.chars().count();
                out.extend(std::iter::repeat_n(' ', width.saturating_sub(count)));
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}

/// Widths of the columns that a run of lines shares.
#[derive(Debug, Default)]
pub(super) struct Widths {
    assigned: Vec<usize>,
    signal: Vec<usize>,
    stream: Vec<usize>,
}

impl Widths {
    /// Makes room for a line.
    pub(super) fn fit(&mut self, line: &Line) {
        let row = match line.form {
            Form::Alone => return,
            Form::Assigned => &mut self.assigned,
            Form::Signal => &mut self.signal,
            Form::Stream => &mut self.stream,
        };
        row.resize(row.len().max(line.cells.len()), 0);
        for (width, cell) in row.iter_mut().zip(&line.cells) {
            let count = cell.chars().count();
            if count <= CELL_CHARS_MAX {
                *width = count.max(*width);
            }
        }
    }

    fn of(&self, form: Form, column: usize) -> usize {
        let row = match form {
            Form::Alone => return 0,
            Form::Assigned => &self.assigned,
            Form::Signal => &self.signal,
            Form::Stream => &self.stream,
        };
        row.get(column).copied().unwrap_or(0)
    }
}
