from fake_runtime import FOLDER, begin, checkpoint, event, step

begin()
for number in range(1, 5):
    step(number, 8.0 / number)
    event("evaluation", step=number, loss=9.0 / number)
checkpoint()
(FOLDER / "export").mkdir(exist_ok=True)
event("exported")
event("finished")
