//! Random syntax trees, with every kind of node.
//!
//! Only trees that the parser makes: what the grammar abbreviates is written out, as `tree.rs` says.

use selvedge_lang::erlang::syntax::tree::*;
use selvedge_ltl::source::Span;
use selvedge_testkit::Random;

/// Draws trees of a limited depth.
pub(super) struct Generator {
    random: Random,
}

fn at<K>(kind: K) -> Node<K> {
    Node::new(Span::default(), kind)
}

const ATOMS: [&str; 14] = [
    "a",
    "ok",
    "is_atom",
    "x@1",
    "case",
    "maybe",
    "else",
    "",
    "A",
    "_a",
    "two words",
    "it's",
    "é",
    "\\\n\u{7f}",
];
const VARIABLES: [&str; 5] = ["X", "Y", "_Z", "Long_name@1", "É"];
const STRINGS: [&str; 7] =
    ["", "abc", "say \"hi\"", "back\\slash", "tab\tline\nend\r\u{1b}\u{0}", "ünï ∀ 🦀", "~p"];
const CHARS: [char; 9] = ['a', ' ', '\\', '\n', '"', '\'', '$', 'é', '\u{0}'];
const FLOATS: [f64; 8] = [0.0, 1.5, 100.0, 1e16, 2.5e-9, 1e300, 1e-320, 123_456.789];

impl Generator {
    pub(super) fn new(seed: u64) -> Self {
        Generator { random: Random(seed) }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound)
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    fn many<T>(&mut self, least: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = least + self.below(3);
        (0..count).map(|_| one(self)).collect()
    }

    fn option<T>(&mut self, one: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.coin() { Some(one(self)) } else { None }
    }

    fn name(&mut self) -> Name {
        self.random.pick(&ATOMS).into()
    }

    fn atom(&mut self) -> Identifier {
        at(self.name())
    }

    fn variable(&mut self) -> Identifier {
        at(self.random.pick(&VARIABLES).into())
    }

    fn integer(&mut self) -> Integer {
        match self.below(5) {
            0 => Integer::Small(i128::MAX),
            1 => Integer::Large { radix: 16, digits: "f00000000000000000000000000000001".into() },
            2 => Integer::Large { radix: 10, digits: "9".repeat(50).into() },
            _ => Integer::Small(self.below(1000) as i128),
        }
    }

    /// What has no parts.
    fn leaf(&mut self) -> ExprKind {
        match self.below(9) {
            0 => ExprKind::Integer(self.integer()),
            1 => ExprKind::Float(self.random.pick(&FLOATS)),
            2 => ExprKind::Char(self.random.pick(&CHARS)),
            3 => ExprKind::String(self.random.pick(&STRINGS).into()),
            4 => ExprKind::Variable("_".into()),
            5 | 6 => ExprKind::Variable(self.variable().kind),
            7 => ExprKind::Nil,
            _ => ExprKind::Atom(self.name()),
        }
    }

    pub(super) fn expr(&mut self, depth: usize) -> Expr {
        let kind = match (depth, self.below(4)) {
            (0, _) => self.leaf(),
            (_, 0) => self.operation(depth - 1),
            (_, 1) => self.collection(depth - 1),
            (_, 2) => self.block(depth - 1),
            _ => self.call(depth - 1),
        };
        at(kind)
    }

    fn boxed(&mut self, depth: usize) -> Box<Expr> {
        Box::new(self.expr(depth))
    }

    fn body(&mut self, depth: usize) -> Vec<Expr> {
        self.many(1, |this| this.expr(depth))
    }

    fn operation(&mut self, depth: usize) -> ExprKind {
        match self.below(10) {
            0 => ExprKind::Match { pattern: self.pattern(depth), value: self.boxed(depth) },
            1 => ExprKind::AndAlso(self.boxed(depth), self.boxed(depth)),
            2 => ExprKind::OrElse(self.boxed(depth), self.boxed(depth)),
            3 => ExprKind::Send(self.boxed(depth), self.boxed(depth)),
            4 => ExprKind::Catch(self.boxed(depth)),
            5 | 6 => ExprKind::UnaryOp { operator: self.unary_operator(), operand: self.boxed(depth) },
            _ => ExprKind::BinaryOp {
                operator: self.binary_operator(),
                left: self.boxed(depth),
                right: self.boxed(depth),
            },
        }
    }

    fn unary_operator(&mut self) -> UnaryOperator {
        use UnaryOperator::*;
        self.random.pick(&[Plus, Minus, Not, BitNot])
    }

    fn binary_operator(&mut self) -> BinaryOperator {
        use BinaryOperator::*;
        self.random.pick(&[
            Add,
            Subtract,
            Multiply,
            Divide,
            Div,
            Rem,
            BitAnd,
            BitOr,
            BitXor,
            ShiftLeft,
            ShiftRight,
            And,
            Or,
            Xor,
            Append,
            Remove,
            Equal,
            NotEqual,
            LessEqual,
            Less,
            GreaterEqual,
            Greater,
            ExactlyEqual,
            NotExactlyEqual,
        ])
    }

    fn collection(&mut self, depth: usize) -> ExprKind {
        match self.below(12) {
            0 => ExprKind::List {
                elements: self.body(depth),
                tail: self.option(|this| this.boxed(depth)).filter(|tail| tail.kind != ExprKind::Nil),
            },
            1 => ExprKind::Tuple(self.many(0, |this| this.expr(depth))),
            2 => ExprKind::Map(self.map_fields(depth)),
            3 => ExprKind::MapUpdate { map: self.boxed(depth), fields: self.map_fields(depth) },
            4 => ExprKind::Record {
                name: self.atom(),
                fields: self.record_fields(depth, Self::expr),
                others: self.option(|this| this.boxed(depth)),
            },
            5 => ExprKind::RecordUpdate {
                record: self.boxed(depth),
                name: self.atom(),
                fields: self.record_fields(depth, Self::expr),
            },
            6 => ExprKind::RecordAccess { record: self.boxed(depth), name: self.atom(), field: self.atom() },
            7 => ExprKind::RecordIndex { name: self.atom(), field: self.atom() },
            8 => ExprKind::Binary(self.many(0, |this| {
                let value = this.expr(depth);
                this.segment(depth, value)
            })),
            9 => ExprKind::ListComprehension {
                template: self.boxed(depth),
                qualifiers: self.many(1, |this| this.qualifier(depth)),
            },
            10 => ExprKind::BinaryComprehension {
                template: self.boxed(depth),
                qualifiers: self.many(1, |this| this.qualifier(depth)),
            },
            _ => ExprKind::MapComprehension {
                key: self.boxed(depth),
                value: self.boxed(depth),
                qualifiers: self.many(1, |this| this.qualifier(depth)),
            },
        }
    }

    fn map_fields(&mut self, depth: usize) -> Vec<MapField> {
        self.many(0, |this| {
            at(MapFieldKind { exact: this.coin(), key: this.expr(depth), value: this.expr(depth) })
        })
    }

    fn record_fields<V>(&mut self, depth: usize, value: fn(&mut Self, usize) -> V) -> Vec<RecordField<V>> {
        self.many(0, |this| RecordField { name: this.atom(), value: value(this, depth) })
    }

    fn segment<V>(&mut self, depth: usize, value: V) -> Segment<V> {
        use SegmentType::*;
        let types = [Integer, Float, Binary, Bitstring, Utf8, Utf16, Utf32];
        at(SegmentKind {
            value,
            size: self.option(|this| this.boxed(depth)),
            segment_type: self.option(|this| this.random.pick(&types)),
            signed: self.option(Self::coin),
            endianness: self
                .option(|this| this.random.pick(&[Endianness::Big, Endianness::Little, Endianness::Native])),
            unit: self.option(|this| 1 + this.below(256) as u16),
        })
    }

    fn qualifier(&mut self, depth: usize) -> Qualifier {
        match self.below(6) {
            0 => at(QualifierKind::Filter(self.expr(depth))),
            1 => at(QualifierKind::Zip(self.many(2, |this| this.generator(depth)))),
            _ => self.generator(depth),
        }
    }

    fn generator(&mut self, depth: usize) -> Qualifier {
        let strict = self.coin();
        at(match self.below(3) {
            0 => QualifierKind::Generate { pattern: self.pattern(depth), list: self.expr(depth), strict },
            1 => QualifierKind::BinaryGenerate {
                pattern: self.binary_pattern(depth),
                binary: self.expr(depth),
                strict,
            },
            _ => QualifierKind::MapGenerate {
                key: self.pattern(depth),
                value: self.pattern(depth),
                map: self.expr(depth),
                strict,
            },
        })
    }

    fn call(&mut self, depth: usize) -> ExprKind {
        let target = match self.below(6) {
            0 => {
                return ExprKind::FunLocal(NameArity { name: self.name(), arity: self.below(256) });
            }
            1 => return self.remote_fun(),
            2 => CallTarget::Local(self.atom()),
            3 => CallTarget::Remote { module: self.boxed(depth), function: self.boxed(depth) },
            _ => match self.expr(depth) {
                Expr { kind: ExprKind::Atom(name), span } => CallTarget::Local(Node::new(span, name)),
                fun => CallTarget::Fun(Box::new(fun)),
            },
        };
        ExprKind::Call { target, arguments: self.many(0, |this| this.expr(depth)) }
    }

    fn remote_fun(&mut self) -> ExprKind {
        let mut part = |atom: bool| {
            let kind =
                if atom { ExprKind::Atom(self.name()) } else { ExprKind::Variable(self.variable().kind) };
            Box::new(at(kind))
        };
        let (module, function, variable) = (part(true), part(false), part(false));
        let arity = if self.coin() { variable } else { Box::new(at(ExprKind::Integer(self.integer()))) };
        ExprKind::FunRemote { module, function, arity }
    }

    fn block(&mut self, depth: usize) -> ExprKind {
        match self.below(7) {
            0 => ExprKind::Block(self.body(depth)),
            1 => ExprKind::If(self.many(1, |this| {
                let guard = this.guard(1, depth);
                at(ClauseKind { patterns: Vec::new(), guard, body: this.body(depth) })
            })),
            2 => ExprKind::Case { argument: self.boxed(depth), clauses: self.clauses(1, 1, depth) },
            3 => {
                let after =
                    self.option(|this| Box::new(After { timeout: this.expr(depth), body: this.body(depth) }));
                ExprKind::Receive { clauses: self.clauses(usize::from(after.is_none()), 1, depth), after }
            }
            4 => {
                let catch = self.many(0, |this| this.catch_clause(depth));
                let after = if catch.is_empty() { self.body(depth) } else { Vec::new() };
                ExprKind::Try { body: self.body(depth), clauses: self.clauses(0, 1, depth), catch, after }
            }
            5 => ExprKind::Maybe {
                body: self.many(1, |this| {
                    if this.coin() {
                        return this.expr(depth);
                    }
                    at(ExprKind::MaybeMatch { pattern: this.pattern(depth), value: this.boxed(depth) })
                }),
                clauses: self.clauses(0, 1, depth),
            },
            _ => {
                let arity = self.below(3);
                ExprKind::Fun { name: self.option(Self::variable), clauses: self.clauses(1, arity, depth) }
            }
        }
    }

    fn guard(&mut self, least: usize, depth: usize) -> Guard {
        Guard(self.many(least, |this| this.body(depth)))
    }

    fn clauses(&mut self, least: usize, arity: usize, depth: usize) -> Vec<Clause> {
        self.many(least, |this| this.clause(arity, depth))
    }

    fn clause(&mut self, arity: usize, depth: usize) -> Clause {
        let patterns = (0..arity).map(|_| self.pattern(depth)).collect();
        let guard = if self.coin() { Guard::default() } else { self.guard(1, depth) };
        at(ClauseKind { patterns, guard, body: self.body(depth) })
    }

    fn catch_clause(&mut self, depth: usize) -> CatchClause {
        let class = match self.below(3) {
            0 => PatternKind::Atom("throw".into()),
            1 => PatternKind::Wildcard,
            _ => PatternKind::Variable(self.variable().kind),
        };
        at(CatchClauseKind {
            class: at(class),
            reason: self.pattern(depth),
            stacktrace: self.option(Self::variable),
            guard: if self.coin() { Guard::default() } else { self.guard(1, depth) },
            body: self.body(depth),
        })
    }

    fn pattern(&mut self, depth: usize) -> Pattern {
        if depth == 0 {
            return self.leaf_pattern();
        }
        let depth = depth - 1;
        let kind = match self.below(8) {
            0 => PatternKind::List {
                elements: self.many(1, |this| this.pattern(depth)),
                tail: self
                    .option(|this| Box::new(this.pattern(depth)))
                    .filter(|t| t.kind != PatternKind::Nil),
            },
            1 => PatternKind::Tuple(self.many(0, |this| this.pattern(depth))),
            2 => PatternKind::Map(
                self.many(0, |this| MapPatternField { key: this.expr(depth), value: this.pattern(depth) }),
            ),
            3 => PatternKind::Record {
                name: self.atom(),
                fields: self.record_fields(depth, Self::pattern),
                others: self.option(|this| Box::new(this.pattern(depth))),
            },
            4 => PatternKind::RecordIndex { name: self.atom(), field: self.atom() },
            5 => return self.binary_pattern(depth),
            6 => PatternKind::Match(Box::new(self.pattern(depth)), Box::new(self.pattern(depth))),
            _ => return self.leaf_pattern(),
        };
        at(kind)
    }

    fn binary_pattern(&mut self, depth: usize) -> Pattern {
        at(PatternKind::Binary(self.many(0, |this| {
            let value = this.pattern(depth);
            this.segment(depth, value)
        })))
    }

    fn leaf_pattern(&mut self) -> Pattern {
        at(match self.below(12) {
            0 => PatternKind::Integer(Integer::Small(-(self.below(100) as i128))),
            1 => PatternKind::Float(-self.random.pick(&FLOATS)),
            2 => PatternKind::Constant(Box::new(at(ExprKind::BinaryOp {
                operator: self.random.pick(&[BinaryOperator::Divide, BinaryOperator::ShiftLeft]),
                left: Box::new(at(ExprKind::Float(1.0))),
                right: Box::new(at(ExprKind::Integer(self.integer()))),
            }))),
            3 => PatternKind::Wildcard,
            _ => match self.leaf() {
                ExprKind::Integer(value) => PatternKind::Integer(value),
                ExprKind::Float(value) => PatternKind::Float(value),
                ExprKind::Char(value) => PatternKind::Char(value),
                ExprKind::String(text) => PatternKind::String(text),
                ExprKind::Atom(name) => PatternKind::Atom(name),
                ExprKind::Nil => PatternKind::Nil,
                _ => PatternKind::Variable(self.variable().kind),
            },
        })
    }

    fn function_clauses(&mut self, depth: usize) -> FormKind {
        let arity = self.below(3);
        FormKind::Function(Function { name: self.atom(), arity, clauses: self.clauses(1, arity, depth) })
    }

    pub(super) fn form(&mut self, depth: usize) -> Form {
        let kind = match self.below(6) {
            0 => FormKind::Record(RecordDefinition {
                name: self.atom(),
                fields: self.many(0, |this| FieldDefinition {
                    name: this.atom(),
                    default: this.option(|this| this.expr(depth)),
                    field_type: this.option(|this| this.type_tree(depth)),
                }),
            }),
            1 => FormKind::Type(TypeDefinition {
                kind: self.random.pick(&[
                    TypeDefinitionKind::Alias,
                    TypeDefinitionKind::Opaque,
                    TypeDefinitionKind::Nominal,
                ]),
                name: self.atom(),
                parameters: self.many(0, Self::variable),
                body: self.type_tree(depth),
            }),
            2 => self.specification(depth),
            _ => self.function_clauses(depth),
        };
        at(kind)
    }

    fn specification(&mut self, depth: usize) -> FormKind {
        let arity = self.below(3);
        FormKind::Spec(Specification {
            is_callback: self.coin(),
            module: self.option(Self::atom),
            name: self.atom(),
            arity,
            clauses: self.many(1, |this| {
                at(FunctionTypeKind {
                    parameters: (0..arity).map(|_| this.type_tree(depth)).collect(),
                    result: this.type_tree(depth),
                    constraints: this.many(0, |this| Constraint {
                        variable: this.variable(),
                        bound: this.type_tree(depth),
                    }),
                })
            }),
        })
    }

    fn number(&mut self, depth: usize) -> Expr {
        use BinaryOperator::*;
        at(match (depth, self.below(4)) {
            (0, 0) => ExprKind::Char(self.random.pick(&CHARS)),
            (0, _) => ExprKind::Integer(self.integer()),
            (_, 0) => ExprKind::UnaryOp {
                operator: self.random.pick(&[UnaryOperator::Minus, UnaryOperator::BitNot]),
                operand: Box::new(self.number(depth - 1)),
            },
            _ => ExprKind::BinaryOp {
                operator: self.random.pick(&[Add, Subtract, ShiftLeft, Multiply, Div, BitAnd]),
                left: Box::new(self.number(depth - 1)),
                right: Box::new(self.number(depth - 1)),
            },
        })
    }

    fn type_tree(&mut self, depth: usize) -> Type {
        if depth == 0 {
            return at(match self.below(5) {
                0 => TypeKind::Variable(self.variable().kind),
                1 => TypeKind::Constant(at(ExprKind::Atom(self.name()))),
                2 => TypeKind::Nil,
                3 => TypeKind::AnyFun,
                _ => TypeKind::Constant(self.number(0)),
            });
        }
        let depth = depth - 1;
        let boxed = |this: &mut Self| Box::new(this.type_tree(depth));
        at(match self.below(12) {
            0 => TypeKind::Annotated { name: self.variable(), annotated: boxed(self) },
            1 => TypeKind::Constant(self.number(depth)),
            2 => TypeKind::Range(self.number(depth), self.number(depth)),
            3 => TypeKind::List(boxed(self)),
            4 => TypeKind::NonEmptyList(boxed(self)),
            5 => TypeKind::Tuple(self.many(0, |this| this.type_tree(depth))),
            6 => TypeKind::Map(self.many(0, |this| MapFieldType {
                mandatory: this.coin(),
                key: this.type_tree(depth),
                value: this.type_tree(depth),
            })),
            7 => TypeKind::Record {
                name: self.atom(),
                fields: self.many(0, |this| (this.atom(), this.type_tree(depth))),
            },
            8 => TypeKind::Binary {
                size: self.option(|this| Box::new(this.number(depth))),
                unit: self.option(|this| Box::new(this.number(depth))),
            },
            9 => TypeKind::Fun {
                parameters: self.option(|this| this.many(0, |this| this.type_tree(depth))),
                result: boxed(self),
            },
            10 => TypeKind::Named {
                module: self.option(Self::atom),
                name: self.atom(),
                arguments: self.many(0, |this| this.type_tree(depth)),
            },
            _ => TypeKind::Union(self.many(2, |this| match this.type_tree(depth) {
                Type { kind: TypeKind::Union(_), .. } => at(TypeKind::Nil),
                other => other,
            })),
        })
    }
}
